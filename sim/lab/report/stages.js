'use strict';
/* Where the time of a cycle goes: a bar for each point, stage by stage. */
(() => {
const { data, h } = solab;
const NAMES = [...new Set(data.points.flatMap((p) =>
    (p.stages || []).map((s) => s[0])))];

if (NAMES.length === 0)
	return;

const BAR = 19, GAP = 3, BLOCK = 10;
/* In the order of a connection's life; neighbours differ in lightness too. */
const COLOURS = [['#0b5cad', '#4f9be6'], ['#57b8c9', '#8fdbe6'],
	['#c2570c', '#f0934e'], ['#f0c05a', '#f3d489'], ['#1a7f37', '#4fb870'],
	['#a9d18e', '#b9e3a0'], ['#a3128c', '#e57fd6'], ['#c9b6e4', '#cdbcec'],
	['#4d5761', '#8b96a1'], ['#b7bfc7', '#c3cbd2']];
const WHICH = [['all requests', 2], ['slowest 1 %', 3]];

let shares = false;
let which = 'both';

function colour(name) {
	return COLOURS[NAMES.indexOf(name) % COLOURS.length][
		solab.isDark() ? 1 : 0];
}

/* What the clock did not count comes first, as it does in a cycle. */
function parts(point, column) {
	const list = (point.stages || []).filter((s) => s[column] > 0)
	    .map((s) => ({ name: s[0], counted: s[1], ns: s[column] }));

	return [...list.filter((p) => !p.counted),
		...list.filter((p) => p.counted)];
}

function total(list) {
	return list.reduce((sum, p) => sum + p.ns, 0);
}

function bars() {
	return solab.selected().flatMap((point) => WHICH
	    .filter(([name]) => which === 'both' || name === which)
	    .map(([name, column], i) => ({ point, name, column, first: i === 0,
		    parts: parts(point, column) })));
}

/* Thin stripes: not counted. */
function stripes(ctx, x, y, w, hgt) {
	ctx.save();
	ctx.beginPath();
	ctx.rect(x, y, w, hgt);
	ctx.clip();
	ctx.strokeStyle = solab.css('--bg');
	ctx.lineWidth = 1.5;
	for (let at = x - hgt; at < x + w; at += 6) {
		ctx.beginPath();
		ctx.moveTo(at, y + hgt);
		ctx.lineTo(at + hgt, y);
		ctx.stroke();
	}
	ctx.restore();
}

/* At a bar's end: its length, what the clock counted, against the baseline. */
function endText(bar, wide) {
	const sum = total(bar.parts), pinned = solab.baseline();
	const counted = total(bar.parts.filter((p) => p.counted));
	const base = pinned && pinned !== bar.point ?
	    total(parts(pinned, bar.column)) : 0;
	const by = base > 0 ? 100 * (sum / base - 1) : 0;

	return [sum > 0 ? solab.time(sum) : '–', wide && counted < sum ?
	    `${solab.time(counted)} counted` : null, base > 0 ?
	    `${by >= 0 ? '+' : '−'}${solab.percent(Math.abs(by))}` : null]
	    .filter(Boolean);
}

function drawBar(div, ctx, bar, { y, left, scale, wide }) {
	const sum = total(bar.parts), text = endText(bar, wide);
	let x = left;

	for (const part of bar.parts) {
		const w = part.ns * scale;

		ctx.fillStyle = colour(part.name);
		ctx.fillRect(x, y, w, BAR);
		if (!part.counted)
			stripes(ctx, x, y, w, BAR);
		div.things.push({ x, y, w: Math.max(2, w), h: BAR, lines: [
			bar.point.name, `${bar.name}: ${part.name}, ` +
			(part.counted ? 'counted' : 'not counted'),
			`${solab.time(part.ns)}, ` +
			solab.percent(100 * part.ns / sum) +
			` of ${solab.time(sum)}` ] });
		x += w;
	}
	const counted = total(bar.parts.filter((p) => p.counted));

	ctx.fillStyle = solab.css('--fg');
	if (counted > 0 && counted < sum)
		ctx.fillRect(left + (sum - counted) * scale - 1, y - 2, 2, BAR + 4);
	ctx.textAlign = 'left';
	ctx.fillText(text[0], x + 6, y + BAR / 2);
	if (text.length > 1) {
		const after = x + 12 + ctx.measureText(text[0]).width;

		ctx.fillStyle = solab.css('--muted');
		ctx.fillText(text.slice(1).join(', '), after, y + BAR / 2);
	}
}

function keyOf(list) {
	const used = NAMES.filter((name) => list.some((bar) =>
	    bar.parts.some((p) => p.name === name)));

	return [...used.map((name) => ({ colour: colour(name), name })),
		...list.some((bar) => bar.parts.some((p) => !p.counted)) ?
		    [{ colour: solab.css('--muted'), striped: true, name:
		    'any colour, striped: the clock is off' }] : []];
}

function draw(div, key) {
	const list = bars();

	solab.key(key, keyOf(list));
	if (solab.nothing(div, list.length === 0, 'No point is selected.'))
		return;
	const narrow = div.clientWidth < 560;
	const left = narrow ? 76 : 96;
	const pinned = solab.baseline() !== null;
	const right = (narrow ? 62 : 190) + (pinned ? 66 : 0);
	const height = list.reduce((sum, bar) => sum + BAR + GAP +
	    (bar.first ? BLOCK + 14 : 0), 10);
	const { ctx, width } = solab.canvas(div, Math.max(30, height));
	const most = Math.max(1, ...list.map((bar) => total(bar.parts)));
	let y = 4;

	div.things = [];
	ctx.textBaseline = 'middle';
	for (const bar of list) {
		if (bar.first) {
			y += BLOCK;
			ctx.fillStyle = solab.css('--fg');
			ctx.textAlign = 'left';
			ctx.fillText(bar.point.name, 0, y + 5, width);
			y += 14;
		}
		ctx.fillStyle = solab.css('--muted');
		ctx.textAlign = 'right';
		ctx.fillText(bar.name, left - 8, y + BAR / 2, left - 10);
		drawBar(div, ctx, bar, { y, left, wide: !narrow,
			scale: Math.max(20, width - left - right) /
			    (shares ? Math.max(1, total(bar.parts)) : most) });
		y += BAR + GAP;
	}
}

function csv() {
	return { name: 'stages', header: ['point', 'requests', 'stage',
		'counted', 'ns', 'percent'],
	rows: bars().flatMap((bar) => bar.parts.map((p) => [bar.point.label,
		bar.name, p.name, p.counted, p.ns,
		100 * p.ns / total(bar.parts)])) };
}

solab.section('stages', 'Stages', (body) => {
	const key = h('div');
	const div = solab.panel(body, { id: 'stage-bars',
		title: 'Where the time of a cycle goes',
		note: 'Means over all requests, and over the slowest 1 % by ' +
		    'latency, in the order of a connection\'s life. Striped, ' +
		    'before the mark: the load generator\'s clock was off, so ' +
		    'its latency does not hold it. Solid: the latency that it ' +
		    'reports.', csv });
	const redraw = () => draw(div, key);

	div.before(key);
	solab.walkable(div);
	solab.asTable(div, csv);
	div.toolbar.prepend(
	    solab.choice('of', [['both', 'both'], ...WHICH.map(([n]) => [n, n])],
		which, (v) => {
			which = v;
			redraw();
		}),
	    solab.choice('as', [['ns', 'time'], ['%', 'percent']], 'ns', (v) => {
		    shares = v === '%';
		    redraw();
	    }));
	solab.redraw(div, redraw);
});
})();
