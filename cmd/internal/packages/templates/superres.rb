# Homebrew, for macOS and Linux: brew install ./superres.rb, or put this file into a tap.
class Superres < Formula
  desc "{{.Summary}}"
  homepage "{{.URL}}"
  version "{{.Version}}"
  license "BSD-3-Clause"
{{range $system, $name := .Homebrew}}
  on_{{$name}} do
{{- range $arch, $kind := $.HomebrewArchs}}
    on_{{$kind}} do
      url "{{$.URL}}/{{$.Archive $system $arch}}.tar.gz"
      sha256 "{{$.Sum (print ($.Archive $system $arch) ".tar.gz")}}"
    end
{{- end}}
  end
{{end}}
  def install
    bin.install "superres"
    man1.install "superres.1"
    bash_completion.install "completions/superres.bash" => "superres"
    zsh_completion.install "completions/_superres"
    fish_completion.install "completions/superres.fish"
    pkgshare.install Dir["install/*"]
    doc.install Dir["*.md"], "doc", "licenses"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/superres version")
  end
end
