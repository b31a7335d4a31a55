# Nix: nix-env -f superres.nix -i, or callPackage ./superres.nix { } in a configuration.
{ pkgs ? import <nixpkgs> { }, lib ? pkgs.lib, stdenvNoCC ? pkgs.stdenvNoCC, fetchurl ? pkgs.fetchurl
, installShellFiles ? pkgs.installShellFiles }:

let
  sources = {
    aarch64-darwin = {
      name = "superres-@VERSION@-darwin-arm64.tar.gz";
      sha256 = "@SUM:darwin-arm64.tar.gz@";
    };
    aarch64-linux = {
      name = "superres-@VERSION@-linux-arm64.tar.gz";
      sha256 = "@SUM:linux-arm64.tar.gz@";
    };
    x86_64-darwin = {
      name = "superres-@VERSION@-darwin-amd64.tar.gz";
      sha256 = "@SUM:darwin-amd64.tar.gz@";
    };
    x86_64-linux = {
      name = "superres-@VERSION@-linux-amd64.tar.gz";
      sha256 = "@SUM:linux-amd64.tar.gz@";
    };
  };
  system = stdenvNoCC.hostPlatform.system;
  source = sources.${system} or (throw "superres: there is no program for ${system}");
in
stdenvNoCC.mkDerivation {
  pname = "superres";
  version = "@VERSION@";
  src = fetchurl {
    url = "@URL@/${source.name}";
    inherit (source) sha256;
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
    description = "@SUMMARY@";
    homepage = "@URL@";
    license = lib.licenses.bsd3;
    platforms = builtins.attrNames sources;
    sourceProvenance = [ lib.sourceTypes.binaryNativeCode ];
    mainProgram = "superres";
  };
}
