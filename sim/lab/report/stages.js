'use strict';
/* Where the time of a cycle goes: a bar for each point, stage by stage. */
(() => {
const { data, h } = solab;
const NAMES = [...new Set(data.points.flatMap((p) =>
    (p.stages || []).map((s) => s[0])))];

if (NAMES.length === 0)
	return;

const BAR = 19, GAP = 3, BLOCK = 10, RIGHT = 84;
const COLOURS = ['--c0', '--c5', '--c1', '--c2', '--c7', '--c4', '--c9', '--c8',
	'--c3', '--c6'];
const WHICH = [['all requests', 2], ['slowest 1 %', 3]];

let shares = false;
let which = 'both';

function colour(name) {
	return solab.css(COLOURS[NAMES.indexOf(name) % COLOURS.length]);
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
	    .map(([name, column], i) => ({ point, name, first: i === 0,
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

function drawBar(div, ctx, bar, y, left, scale) {
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
			`${solab.time(part.ns)}, ` + solab.percent(100 * part.ns /
			total(bar.parts)) ] });
		x += w;
	}
	const counted = total(bar.parts.filter((p) => p.counted));
	const split = left + (total(bar.parts) - counted) * scale;

	ctx.fillStyle = solab.css('--fg');
	if (counted > 0)
		ctx.fillRect(split - 1, y - 2, 2, BAR + 4);
	ctx.textAlign = 'left';
	ctx.fillText(solab.time(total(bar.parts)), x + 6, y + BAR / 2);
}

function draw(div, key) {
	const list = bars();
	const left = Math.min(240, div.clientWidth * 0.32);
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
			ctx.fillText(bar.point.name, 0, y + 5);
			y += 14;
		}
		ctx.fillStyle = solab.css('--muted');
		ctx.textAlign = 'right';
		ctx.fillText(bar.name, left - 8, y + BAR / 2, left - 10);
		drawBar(div, ctx, bar, y, left, (width - left - RIGHT) /
		    (shares ? Math.max(1, total(bar.parts)) : most));
		y += BAR + GAP;
	}
	solab.key(key, NAMES.filter((name) => list.some((bar) =>
	    bar.parts.some((p) => p.name === name)))
	    .map((name) => ({ colour: colour(name), name })));
}

solab.section('stages', 'Stages', (body) => {
	const key = h('div');
	const div = solab.panel(body, { id: 'stage-bars',
		title: 'Where the time of a cycle goes',
		note: 'Means over all requests, and over the slowest 1 % by ' +
		    'latency. Striped, before the mark: the load generator\'s ' +
		    'clock was off, so its latency does not hold it. Solid: ' +
		    'the latency that it reports.',
		csv: () => ({ name: 'stages', header: ['point', 'requests',
			'stage', 'counted', 'ns'],
			rows: bars().flatMap((bar) => bar.parts.map((p) =>
			    [bar.point.label, bar.name, p.name, p.counted,
				p.ns])) }) });
	const redraw = () => draw(div, key);

	div.before(key);
	solab.hoverable(div);
	div.toolbar.prepend(
	    solab.choice('of', [['both', 'both'], ...WHICH.map(([n]) => [n, n])],
		which, (v) => {
			which = v;
			redraw();
		}),
	    solab.check('shares', shares, (on) => {
		    shares = on;
		    redraw();
	    }));
	solab.redraw(div, redraw);
});
})();
