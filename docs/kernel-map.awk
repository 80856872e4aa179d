# Rows of docs/kernel-map.md: each comment with a `Kernel:` or a `Differs:` line,
# and the file or the declaration that it stands over.

function flush_row(what) {
	if (found()) {
		gsub(/\|/, "\\|", differs)
		printf "| %s | %s | %s |\n", what, kernel, differs
	}
	kernel = differs = ""
}

function found() {
	return kernel != "" || differs != ""
}

# The lines of a comment belong to the last `Word:` seen.
function comment_line(text) {
	gsub(/^[ \t]*\/?\*+[ \t]*|[ \t]*\*\/.*$/, "", text)
	if (match(text, /^[A-Z][a-z]+:/)) {
		key = substr(text, 1, RLENGTH - 1)
		text = substr(text, RLENGTH + 1)
		sub(/^[ \t]+/, "", text)
	} else if (text == "") {
		key = ""
	}
	if (key == "Kernel")
		kernel = kernel (kernel == "" ? "" : " ") text
	else if (key == "Differs")
		differs = differs (differs == "" ? "" : " ") text
}

FNR == 1 {
	flush_row("?")
	path = FILENAME
	sub(/^model\//, "", path)
	inside = 0
}

!inside && /^\/\*/ {
	# Two comments without a declaration between: the first was the file's.
	flush_row("`" path "`")
	inside = 1
	key = ""
}

inside {
	comment_line($0)
	if (/\*\//)
		inside = 0
	next
}

/^#[ \t]*include/ || (found() && /^$/) {
	flush_row("`" path "`")
	next
}

found() && match($0, /[a-z_0-9]+\(/) {
	flush_row("`" substr($0, RSTART, RLENGTH) ")` in `" path "`")
}

found() && match($0, /^(struct|enum) [a-z_0-9]+/) {
	flush_row("`" substr($0, RSTART, RLENGTH) "` in `" path "`")
}

END {
	flush_row("`" path "`")
}
