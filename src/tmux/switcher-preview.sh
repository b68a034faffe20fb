#!/bin/sh
# What the switcher shows of one mission: the text that its wrapper keeps in a file (the open requests, or Claude's last
# message), and below it the last rows of its window that hold text.
# usage: switcher-preview.sh <tmux socket> <missions> <window> <mission> <state>
# While the file $mode has any content: what the mission has changed, as it was last recorded.
if [ -s "$mode" ]; then
  [ -n "$NO_COLOR" ] && colour=never || colour=always
  "$node" "$agenc" mission diff "$4" --recorded --stat --patch --color "$colour" 2>&1 | head -n 5000
  exit
fi
socket=$1 text=$2/$4/run/preview window=$3 state=$5
case $state in waiting | done | idle) [ -f "$text" ] || text= ;; *) text= ;; esac

# awk counts bytes in this locale, so that every version of it does the same.
export LC_ALL=C
tmux -u -S "$socket" capture-pane -ep -t "$window" |
  awk -v text="$text" -v columns="${FZF_PREVIEW_COLUMNS:-80}" -v rows="${FZF_PREVIEW_LINES:-20}" '
    # Prints a line in parts that fit, cut between words. Columns are counted as terminals draw most scripts.
    function fold(line,    at, byte, width, space, spaceWidth, start) {
      start = 1; width = 0; space = 0
      for (at = 1; at <= length(line); at++) {
        byte = substr(line, at, 1)
        width += (byte in columnsOf) ? columnsOf[byte] : byte > "~" ? 2 : 1
        if (width > columns) {
          if (space > start) { print substr(line, start, space - start); start = space + 1; width -= spaceWidth }
          else { print substr(line, start, at - start); start = at; width = (byte in columnsOf) ? columnsOf[byte] : 1 }
          printed++; space = 0
        }
        if (byte == " ") { space = at; spaceWidth = width }
      }
      print substr(line, start); printed++
    }
    BEGIN {
      for (code = 128; code < 256; code++)
        columnsOf[sprintf("%c", code)] = code < 192 ? 0 : code < 227 || code == 238 ? 1 : 2
      if (text != "") {
        while ((getline line < text) > 0 && printed < 2000) fold(line)
        for (line = ""; length(line) < columns && length(line) < 200; ) line = line "-"
        if (printed) { print "\033[2m" line "\033[0m"; printed++ }
      }
    }
    {
      bare = $0; gsub(/\033\[[0-9;:]*m/, "", bare); gsub(/\033[()][0-9A-Z]|[\016\017]/, "", bare)
      isBlank = bare ~ /^ *$/
      if (!(isBlank && wasBlank)) row[++count] = $0
      wasBlank = isBlank
    }
    END {
      if (wasBlank) count--
      room = rows - printed; if (room < 5) room = 5
      for (at = count > room ? count - room + 1 : 1; at <= count; at++) print row[at] "\033[0m"
    }'
