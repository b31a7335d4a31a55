# Homebrew, for macOS and Linux: brew install ./superres.rb, or put this file into a tap.
class Superres < Formula
  desc "@SUMMARY@"
  homepage "@URL@"
  version "@VERSION@"
  license "BSD-3-Clause"

  on_macos do
    on_intel do
      url "@URL@/superres-@VERSION@-darwin-amd64.tar.gz"
      sha256 "@SUM:darwin-amd64.tar.gz@"
    end
    on_arm do
      url "@URL@/superres-@VERSION@-darwin-arm64.tar.gz"
      sha256 "@SUM:darwin-arm64.tar.gz@"
    end
  end

  on_linux do
    on_intel do
      url "@URL@/superres-@VERSION@-linux-amd64.tar.gz"
      sha256 "@SUM:linux-amd64.tar.gz@"
    end
    on_arm do
      url "@URL@/superres-@VERSION@-linux-arm64.tar.gz"
      sha256 "@SUM:linux-arm64.tar.gz@"
    end
  end

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
