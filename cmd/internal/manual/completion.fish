# Completion of superres for fish:
# superres completion fish > ~/.config/fish/completions/superres.fish

function __superres_complete
	set -l words (commandline --current-process --tokenize --cut-at-cursor)
	set -l last (commandline --current-token --cut-at-cursor)
	set -l program (string replace --regex '^~' $HOME -- $words[1])
	set -l found ($program completion words -- $words "$last" 2>/dev/null)
	set -l names (string match --invert -- ':files' $found)
	if set -q names[1]
		printf '%s\n' $names
	else if contains -- ':files' $found
		set -l flag (string match --regex -- '^-[^=]*=' $last)
		for path in (__fish_complete_path (string replace --regex -- '^-[^=]*=' '' $last))
			echo "$flag$path"
		end
	end
end

complete --command superres --no-files --arguments '(__superres_complete)'
