# Nix: nix-env -f superres.nix -i, or callPackage ./superres.nix { } in a configuration.
{ pkgs ? import <nixpkgs> { }, lib ? pkgs.lib, stdenvNoCC ? pkgs.stdenvNoCC, fetchurl ? pkgs.fetchurl
, installShellFiles ? pkgs.installShellFiles }:

let
  sources = {
{{- range $nix, $t := .Nix}}
    {{$nix}} = {
      name = "{{$.Archive $t.OS $t.Arch}}.tar.gz";
      hash = "{{$.Integrity (print ($.Archive $t.OS $t.Arch) ".tar.gz")}}";
    };
{{- end}}
  };
  system = stdenvNoCC.hostPlatform.system;
  source = sources.${system} or (throw "superres: there is no program for ${system}");
in
stdenvNoCC.mkDerivation {
  pname = "superres";
  version = "{{.Version}}";
  src = fetchurl {
    url = "{{.URL}}/${source.name}";
    inherit (source) hash;
  };
  nativeBuildInputs = [ installShellFiles ];
  dontConfigure = true;
  dontBuild = true;
  dontStrip = true;
  installPhase = ''
    runHook preInstall
    install -D superres $out/bin/superres
    installManPage superres.1
    installShellCompletion completions/superres.bash completions/superres.fish completions/_superres
    install -Dm644 -t $out/share/applications install/desktop/*.desktop
    install -Dm644 -t $out/share/icons/hicolor/scalable/apps install/desktop/superres.svg
    mkdir -p $out/share/superres $out/share/doc/superres
    cp -r install/gimp-2.10 install/gimp-3 install/darktable $out/share/superres
    cp -r *.md LICENSE doc licenses $out/share/doc/superres
    runHook postInstall
  '';
  meta = {
    description = "{{.Summary}}";
    homepage = "{{.URL}}";
    license = lib.licenses.bsd3;
    platforms = builtins.attrNames sources;
    sourceProvenance = [ lib.sourceTypes.binaryNativeCode ];
    mainProgram = "superres";
  };
}
