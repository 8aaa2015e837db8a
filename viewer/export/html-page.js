// SPDX-License-Identifier: Apache-2.0
//
// The page's workings. Rows are drawn on one canvas, only those in sight; each pixel shows of the
// intervals in it the one that says most, as a cell of the terminal does: a state above the
// ordinary ones wins by its number, else the one that took most of it.
(function () {
"use strict";

window.onerror = function (what) {
	document.body.dataset.error = String(what);
	document.getElementById("note").textContent = "This page could not be drawn here: " + what;
};

var data = JSON.parse(document.getElementById("data").textContent);
var NODATA = 0;
var LABEL = 110, RULER = 34, FONT = "12px ui-monospace, monospace";
var dark = window.matchMedia("(prefers-color-scheme: dark)");
var box = byId("rows"), canvas = byId("canvas"), ink = canvas.getContext("2d");
var spacer = document.createElement("div");
var view = {from: 0, to: data.span}, marked = {row: -1, when: null}, drag = null;
var rows = data.rows.map(decode);
var size = {w: 0, h: 0, row: 20, words: 0};

function byId(id) {
	return document.getElementById(id);
}

// Five numbers each become columns; times are those of the page.
function decode(row) {
	var n = row.spans.length / 5, at = 0, made = {row: row, n: n, from: new Float64Array(n),
		to: new Float64Array(n), state: new Uint16Array(n), name: new Uint32Array(n),
		cite: new Uint32Array(n)};
	for (var i = 0; i < n; i++) {
		made.from[i] = at += row.spans[5 * i];
		made.to[i] = at += row.spans[5 * i + 1];
		made.state[i] = row.spans[5 * i + 2];
		made.name[i] = row.spans[5 * i + 3];
		made.cite[i] = row.spans[5 * i + 4];
	}
	return made;
}

// -- Words ---------------------------------------------------------------------------------------

function number(value, digits) {
	var text = value.toFixed(digits);
	return text.indexOf(".") < 0 ? text : text.replace(/\.?0+$/, "");
}

function duration(ns) {
	var s = ns / 1e9;
	if (s < 1e-6)
		return number(ns, 0) + " ns";
	if (s < 1e-3)
		return number(s * 1e6, 1) + " us";
	if (s < 1)
		return number(s * 1e3, 1) + " ms";
	if (s < 60)
		return number(s, 2) + " s";
	var m = Math.floor(s / 60), h = Math.floor(m / 60), pad = function (n) {
		return (n < 10 ? "0" : "") + n;
	};
	return h ? h + ":" + pad(m % 60) + ":" + pad(Math.floor(s % 60)) :
		m + ":" + pad(Math.floor(s % 60));
}

// Wall clock, UTC: a page is read elsewhere.
function wall(when) {
	var date = new Date(data.from + when / 1e6);
	return isNaN(date) ? "" : date.toISOString().replace("T", " ").replace("Z", "");
}

function nameOf(state) {
	return data.states[state & 255][0];
}

function inkOf(state) {
	return data.states[state & 255][dark.matches ? 1 : 2];
}

function color(name) {
	return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

// -- Time and columns ----------------------------------------------------------------------------

function whole() {
	return view.from <= 0 && view.to >= data.span;
}

// The part of the width that history before the fork has; null: one scale.
function split() {
	if (data.fork === null || !whole())
		return null;
	var share = data.fork / data.span;
	return share < 1 / 3 || share > 2 / 3 ? 0.4 : null;
}

function left() {
	return LABEL;
}

function width() {
	return Math.max(10, size.w - LABEL - size.words);
}

function xOf(when) {
	var part = split();
	if (part === null)
		return left() + (when - view.from) / (view.to - view.from) * width();
	if (when < data.fork)
		return left() + when / data.fork * part * width();
	return left() + (part + (when - data.fork) / (data.span - data.fork) * (1 - part)) *
		width();
}

function timeAt(x) {
	var part = split(), at = (x - left()) / width();
	at = Math.min(1, Math.max(0, at));
	if (part === null)
		return view.from + at * (view.to - view.from);
	return at < part ? at / part * data.fork :
		data.fork + (at - part) / (1 - part) * (data.span - data.fork);
}

function look(from, to) {
	var least = Math.min(1000, data.span), span = Math.max(least, Math.min(to - from, data.span));
	from = Math.max(0, Math.min(from, data.span - span));
	view = {from: from, to: from + span};
	draw();
}

function zoom(factor, about) {
	if (split() !== null)
		about = about === undefined ? data.fork : about;
	if (about === undefined)
		about = marked.when !== null ? marked.when : (view.from + view.to) / 2;
	look(about - (about - view.from) * factor, about + (view.to - about) * factor);
}

function pan(part) {
	var by = (view.to - view.from) * part;
	look(view.from + by, view.to + by);
}

function toFork() {
	if (data.fork === null)
		return;
	if (!whole()) {
		look(0, data.span);
		return;
	}
	var near = Math.max(1000, Math.min(data.fork, data.span - data.fork) * 0.2);
	look(data.fork - near, data.fork + near);
}

// -- Drawing -------------------------------------------------------------------------------------

function fitSize() {
	var ratio = window.devicePixelRatio || 1, total;
	size.row = rows.length > 200 ? 12 : rows.length > 40 ? 16 : 22;
	size.w = box.clientWidth;
	size.words = size.w > 900 ? Math.floor(size.w * 0.32) : 0;
	total = RULER + rows.length * size.row + 6;
	box.style.height = Math.min(total, Math.floor(window.innerHeight * 0.7)) + "px";
	size.h = box.clientHeight;
	canvas.style.width = size.w + "px";
	canvas.style.height = size.h + "px";
	canvas.width = Math.floor(size.w * ratio);
	canvas.height = Math.floor(size.h * ratio);
	spacer.style.height = Math.max(0, total - size.h) + "px";
	ink.setTransform(ratio, 0, 0, ratio, 0, 0);
}

function firstAt(row, when) {
	var low = 0, high = row.n;
	while (low < high) {
		var mid = (low + high) >> 1;
		if (row.to[mid] < when)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

// Which state each pixel of the row has.
function pixels(row) {
	var w = Math.ceil(width()), state = new Int16Array(w).fill(-1), took = new Float32Array(w);
	for (var i = firstAt(row, view.from); i < row.n && row.from[i] <= view.to; i++) {
		var a = Math.max(0, xOf(row.from[i]) - left()), b = Math.min(w, xOf(row.to[i]) - left());
		var s = row.state[i] & 255;
		for (var x = Math.floor(a); x < w && (x < b || x === Math.floor(a)); x++) {
			var share = Math.min(b, x + 1) - Math.max(a, x);
			var wins = s > data.ordinary ? s > state[x] :
				state[x] <= data.ordinary && share >= took[x];
			if (wins) {
				state[x] = s;
				took[x] = share;
			}
		}
	}
	return state;
}

function drawBar(row, y) {
	var state = pixels(row), h = size.row - 4, from = 0;
	for (var x = 1; x <= state.length; x++) {
		if (x < state.length && state[x] === state[from])
			continue;
		var s = state[from];
		if (s > NODATA) {
			ink.fillStyle = inkOf(s);
			if (s === data.lost)
				for (var i = from; i < x; i += 4)
					ink.fillRect(left() + i, y + 2, 2, h);
			else
				ink.fillRect(left() + from, y + 2, x - from, h);
		} else if (s === NODATA) {
			ink.fillStyle = color("line");
			ink.fillRect(left() + from, y + size.row / 2, x - from, 1);
		}
		from = x;
	}
}

function drawNames(row, y) {
	ink.font = FONT;
	for (var i = firstAt(row, view.from), n = 0; i < row.n && row.from[i] <= view.to; i++) {
		var a = Math.max(left(), xOf(row.from[i])), b = Math.min(left() + width(),
			xOf(row.to[i]));
		var text = data.texts[row.name[i]];
		if (b - a < 40 || !text || ++n > 200)
			continue;
		ink.save();
		ink.beginPath();
		ink.rect(a + 3, y, b - a - 6, size.row);
		ink.clip();
		ink.fillStyle = contrast(inkOf(row.state[i]));
		ink.fillText(text, a + 4, y + size.row / 2 + 4);
		ink.restore();
	}
}

function contrast(hex) {
	var n = parseInt(hex.slice(1), 16);
	var light = 0.299 * (n >> 16) + 0.587 * (n >> 8 & 255) + 0.114 * (n & 255);
	return light > 140 ? "#000" : "#fff";
}

// Points: an exception, a signal and a death are seen at once, steps are faint.
function drawEvents(row, y) {
	var events = row.row.events;
	for (var i = 0; i < events.length; i += 4) {
		var kind = data.kinds[events[i + 1]], x = xOf(events[i]);
		if (events[i] < view.from || events[i] > view.to)
			continue;
		ink.fillStyle = /step|shard|batch|wrote|started/.test(kind) ? color("faint") : color("alarm");
		if (/step|shard|batch|wrote|started/.test(kind)) {
			ink.fillRect(x, y + size.row - 5, 1, 3);
			continue;
		}
		ink.beginPath();
		ink.moveTo(x - 4, y);
		ink.lineTo(x + 4, y);
		ink.lineTo(x, y + 6);
		ink.fill();
	}
}

function drawRow(index, y) {
	var row = rows[index], words = row.row.words;
	if (index === marked.row) {
		ink.fillStyle = color("panel");
		ink.fillRect(0, y, size.w, size.row);
	}
	drawBar(row, y);
	if (size.row >= 16)
		drawNames(row, y);
	drawEvents(row, y);
	ink.font = (row.row.blamed ? "bold " : "") + FONT;
	ink.fillStyle = row.row.blamed ? color("alarm") : color("fore");
	ink.fillText((row.row.blamed ? "\u25b6 " : "  ") + row.row.label + (row.row.loses ? "~" : ""), 6, y + size.row / 2 + 4,
		LABEL - 12);
	if (!size.words)
		return;
	ink.save();
	ink.beginPath();
	ink.rect(left() + width() + 8, y, size.words - 12, size.row);
	ink.clip();
	ink.font = FONT;
	ink.fillText(words, left() + width() + 10, y + size.row / 2 + 4);
	ink.restore();
}

function step() {
	var about = (view.to - view.from) / Math.max(2, width() / 120), unit = 1;
	var steps = [1, 2, 5], i = 0;
	while (unit * steps[i % 3] < about && unit < 1e20) {
		i++;
		if (i % 3 === 0)
			unit *= 10;
	}
	return unit * steps[i % 3];
}

function drawTick(when, last) {
	var x = xOf(when), text = duration(when);
	ink.fillStyle = color("faint");
	ink.fillRect(x, RULER - 6, 1, 6);
	if (x - last < 12 + ink.measureText(text).width)
		return last;
	ink.fillStyle = color("faint");
	ink.fillText(text, x + 3, RULER - 10);
	return x;
}

// Wall clock at the left, the time since the begin at ticks; the break is a double line.
function drawRuler() {
	var part = split(), last = -1e9, i;
	ink.font = FONT;
	ink.fillStyle = color("back");
	ink.fillRect(0, 0, size.w, RULER);
	ink.fillStyle = color("faint");
	ink.fillText(wall(view.from) + " UTC", left() + 3, 12);
	if (part === null) {
		var by = step();
		for (i = Math.ceil(view.from / by); i * by <= view.to; i++)
			last = drawTick(i * by, last);
		return;
	}
	for (i = 0; i < 4; i++)
		last = drawTick(data.fork * i / 4, last);
	for (i = 0; i <= 5; i++)
		last = drawTick(data.fork + (data.span - data.fork) * i / 5, last);
}

function drawFork() {
	var x;
	if (data.fork === null || data.fork < view.from || data.fork > view.to)
		return;
	x = xOf(data.fork);
	ink.fillStyle = color("alarm");
	ink.fillRect(x, RULER - 6, 1, size.h);
	if (split() !== null)
		ink.fillRect(x - 3, RULER - 6, 1, size.h);
}

function draw() {
	var top = box.scrollTop, first = Math.max(0, Math.floor(top / size.row));
	ink.clearRect(0, 0, size.w, size.h);
	ink.save();
	ink.beginPath();
	ink.rect(0, RULER, size.w, size.h - RULER);
	ink.clip();
	for (var i = first; i < rows.length; i++) {
		var y = RULER + i * size.row - top;
		if (y > size.h)
			break;
		drawRow(i, y);
	}
	ink.restore();
	drawRuler();
	drawFork();
	if (marked.when !== null && marked.when >= view.from && marked.when <= view.to) {
		ink.fillStyle = color("fore");
		ink.fillRect(xOf(marked.when), RULER - 10, 1, size.h);
	}
	document.body.dataset.view = Math.round(view.from) + "-" + Math.round(view.to);
}

// -- What is under the pointer -------------------------------------------------------------------

function spanAt(row, when) {
	var i = firstAt(row, when);
	while (i + 1 < row.n && row.from[i + 1] <= when)
		i++;
	return i < row.n && row.from[i] <= when && when <= row.to[i] ? i : -1;
}

function tellSpan(row, when) {
	var i = spanAt(row, when), lines = [];
	if (i < 0)
		return ["nothing is known of it then"];
	var name = data.texts[row.name[i]], cite = data.texts[row.cite[i]];
	lines.push(nameOf(row.state[i]) + (name && name !== nameOf(row.state[i]) ? ": " + name : ""));
	lines.push("from " + wall(row.from[i]) + " (" + duration(row.from[i]) + "), for " +
		duration(row.to[i] - row.from[i]) +
		(row.state[i] & 256 ? " and on, at the end of the evidence" : ""));
	if (cite)
		lines.push("evidence: " + cite);
	return lines;
}

function tellEvents(row, when, slack) {
	var events = row.row.events, lines = [];
	for (var i = 0; i < events.length && lines.length < 6; i += 4)
		if (events[i] < 0 || Math.abs(events[i] - when) <= slack)
			lines.push(data.kinds[events[i + 1]] + ": " + data.texts[events[i + 2]] +
				(events[i] < 0 ? ", it is not known when" : "") +
				(data.texts[events[i + 3]] ? "  " + data.texts[events[i + 3]] : ""));
	return lines;
}

// The lines of the verdict that are about this row.
function tellEvidence(index) {
	var lines = [];
	data.panes[0].lines.forEach(function (line) {
		if (line[3] === index && line[1] && lines.length < 6)
			lines.push(line[0].trim() + "  " + line[1]);
	});
	return lines;
}

function tell(index, when, slack) {
	var row = rows[index], who = row.row.who ? " (" + row.row.who + ")" : "";
	var lines = [(/^\d/.test(row.row.label) ? "rank " : "") + row.row.label + who +
		(row.row.blamed ? ", blamed by the verdict" : "") +
		(row.row.loses ? "; something recorded of it is gone" : "")];
	lines = lines.concat(tellSpan(row, when), tellEvents(row, when, slack));
	var evidence = tellEvidence(index);
	if (evidence.length)
		lines = lines.concat([""], evidence);
	return lines.join("\n");
}

function showTip(text, x, y) {
	var tip = byId("tip");
	tip.textContent = text;
	tip.style.display = "block";
	tip.style.left = Math.max(4, Math.min(x + 14, window.innerWidth - tip.offsetWidth - 8)) + "px";
	tip.style.top = Math.max(4, y + 18 + tip.offsetHeight > window.innerHeight ?
		y - tip.offsetHeight - 10 : y + 18) + "px";
}

function hideTip() {
	byId("tip").style.display = "none";
}

function pointed(event) {
	var at = canvas.getBoundingClientRect(), y = event.clientY - at.top;
	var index = Math.floor((y - RULER + box.scrollTop) / size.row);
	return {x: event.clientX - at.left,
		row: y < RULER || index < 0 || index >= rows.length ? -1 : index};
}

function mark(row, when) {
	marked = {row: row, when: when};
	if (row >= 0) {
		var y = row * size.row;
		if (y < box.scrollTop || y + size.row > box.scrollTop + size.h - RULER)
			box.scrollTop = Math.max(0, y - size.h / 2);
	}
	if (when !== null && (when < view.from || when > view.to))
		look(when - (view.to - view.from) / 2, when + (view.to - view.from) / 2);
	draw();
}

// -- Around the rows -----------------------------------------------------------------------------

function fillHeader() {
	var live = data.live ? "live, as of " : "recorded ";
	document.documentElement.style.setProperty("--sign", "var(--" + data.sign + ")");
	byId("headline").textContent = data.headline;
	byId("standing").textContent = [data.sign === "good" ? "" : data.outlook,
		data["class"] + " " + data.confidence, data.job,
		data.origin, live + wall(data.span) + " UTC"].filter(Boolean).join("  \u00b7  ");
	document.title = "inquest: " + data.headline;
	if (data.short)
		byId("note").textContent = "Intervals shorter than " + duration(data.short) +
			" are drawn together with their neighbours here: they are too many for a" +
			" page. inquest view shows each.";
}

function fillLegend() {
	var seen = {};
	rows.forEach(function (row) {
		for (var i = 0; i < row.n; i++)
			seen[row.state[i] & 255] = true;
	});
	for (var s = data.states.length - 1; s >= 0; s--) {
		if (!seen[s])
			continue;
		var sign = document.createElement("span"), box = document.createElement("i");
		box.style.background = s === NODATA ? "var(--line)" : inkOf(s);
		box.dataset.state = s;
		sign.appendChild(box);
		sign.appendChild(document.createTextNode(nameOf(s)));
		byId("legend").appendChild(sign);
	}
}

function addLine(to, line) {
	var div = document.createElement("div"), text = document.createElement("span"),
		cite = document.createElement("b");
	text.textContent = line[0];
	text.className = line[2];
	cite.textContent = line[1];
	div.appendChild(text);
	div.appendChild(cite);
	if (line[3] >= 0 || line[4] !== null) {
		div.className = "goes";
		div.tabIndex = 0;
		var go = function () {
			mark(line[3], line[4]);
		};
		div.onmouseenter = div.onfocus = div.onclick = go;
	}
	to.appendChild(div);
}

function fillPanes() {
	data.panes.forEach(function (pane, index) {
		var details = document.createElement("details"),
			summary = document.createElement("summary");
		summary.textContent = pane.name;
		details.open = index === 0;
		details.appendChild(summary);
		pane.lines.forEach(function (line) {
			addLine(details, line);
		});
		if (pane.lines.length)
			byId("panes").appendChild(details);
	});
}

var keys = {
	"w": function () { zoom(0.5); }, "+": function () { zoom(0.5); },
	"s": function () { zoom(2); }, "-": function () { zoom(2); },
	"a": function () { pan(-0.25); }, "d": function () { pan(0.25); },
	"0": function () { look(0, data.span); }, "z": toFork, "f": toFork,
	"Escape": function () { hideTip(); mark(-1, null); }
};

function listen() {
	canvas.onmousemove = function (event) {
		var at = pointed(event);
		if (drag) {
			var by = (drag.x - at.x) / width() * (drag.to - drag.from);
			look(drag.from + by, drag.to + by);
			return;
		}
		if (at.row < 0 || at.x < left() || at.x > left() + width())
			return hideTip();
		var when = timeAt(at.x);
		showTip(tell(at.row, when, Math.abs(timeAt(at.x + 4) - when)), event.clientX,
			event.clientY);
	};
	canvas.onmouseleave = hideTip;
	canvas.onmousedown = function (event) {
		drag = {x: pointed(event).x, from: view.from, to: view.to};
	};
	window.onmouseup = function () {
		drag = null;
	};
	canvas.onclick = function (event) {
		var at = pointed(event);
		if (at.row >= 0)
			mark(at.row, timeAt(at.x));
	};
	canvas.ondblclick = toFork;
	box.addEventListener("wheel", function (event) {
		if (!event.ctrlKey && !event.shiftKey && spacer.offsetHeight > 0)
			return;
		event.preventDefault();
		zoom(event.deltaY < 0 ? 0.8 : 1.25, timeAt(pointed(event).x));
	}, {passive: false});
	box.onscroll = draw;
	document.onkeydown = function (event) {
		if (keys[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey)
			keys[event.key]();
	};
	byId("fit").onclick = keys["0"];
	byId("fork").onclick = toFork;
	byId("in").onclick = keys.w;
	byId("out").onclick = keys.s;
	byId("fork").hidden = data.fork === null;
	window.onresize = function () {
		fitSize();
		draw();
	};
	dark.addEventListener("change", draw);
}

// "#row=3&t=1500000000" marks a row and a time, so that a link can point at them.
function followHash() {
	var row = /row=(\d+)/.exec(location.hash), when = /t=(\d+)/.exec(location.hash);
	if (!row || +row[1] >= rows.length)
		return;
	mark(+row[1], when ? +when[1] : null);
	if (when)
		showTip(tell(+row[1], +when[1], 0), xOf(+when[1]), RULER + (+row[1] + 3) * size.row);
}

box.appendChild(spacer);
fillHeader();
fillLegend();
fillPanes();
fitSize();
listen();
draw();
followHash();
window.onhashchange = followHash;
document.body.dataset.rows = rows.length;
document.body.dataset.spans = rows.reduce(function (sum, row) {
	return sum + row.n;
}, 0);
})();
