'use strict';
/* Where one waits for another: serialising tokens, completion queues. */
(() => {
const { data, h } = solab;
const STRIPS = 8;

/*
 * Tokens: for each group of them a row for each point, with how long it is held
 * and waited for, on a logarithmic axis: a dot for the mean, a line to the
 * longest.
 */

const ROW = 17, AXIS = 34;
const SIDES = [['held', 'hold_mean_ns', 'hold_max_ns'],
	['waited for', 'wait_mean_ns', 'wait_max_ns']];

function tokenRows() {
	const points = solab.selected().filter((p) => p.tokens &&
	    p.tokens.length > 0).slice(0, STRIPS);
	const several = new Set(points.flatMap((p) =>
	    p.tokens.map((t) => t.machine))).size > 1;
	const groups = new Map();

	for (const point of points)
		for (const t of point.tokens) {
			const name = (several ? `${t.machine}: ` : '') + t.name +
			    (t.count > 1 ? ` (${t.count})` : '');

			if (!groups.has(name))
				groups.set(name, []);
			groups.get(name).push({ point, t });
		}
	return [...groups];
}

/* Decades that hold all that is drawn. */
function decades(groups) {
	const values = groups.flatMap(([, rows]) => rows.flatMap(({ t }) =>
	    SIDES.flatMap(([, mean, max]) => [t[mean], t[max]])))
	    .filter((v) => v > 0).map(Math.log10);

	return values.length === 0 ? [1, 2] : [Math.floor(Math.min(...values)),
		Math.max(Math.floor(Math.min(...values)) + 1,
		    Math.ceil(Math.max(...values)))];
}

function drawAxis(ctx, side, [low, high], height) {
	const { x, w, title } = side;
	const step = Math.ceil((high - low) * 46 / w);

	ctx.textAlign = 'left';
	ctx.fillStyle = solab.css('--fg');
	ctx.fillText(title, x, 8);
	ctx.textAlign = 'center';
	for (let k = low; k <= high; k++) {
		const at = x + w * (k - low) / (high - low);

		ctx.fillStyle = solab.css('--grid');
		ctx.fillRect(at, AXIS - 4, 1, height - AXIS);
		ctx.fillStyle = solab.css('--muted');
		if ((k - low) % step === 0)
			ctx.fillText(solab.time(10 ** k), at, AXIS - 11);
	}
}

/* Mean and longest; nothing for what never happened. */
function drawSpan(ctx, side, scale, { point, t }, y) {
	const mean = t[side.mean], max = t[side.max];

	if (!(mean > 0))
		return;
	ctx.fillStyle = point.colour;
	ctx.fillRect(scale(mean), y - 1, Math.max(0, scale(max) - scale(mean)), 2);
	ctx.fillRect(scale(max) - 1, y - 4, 2, 8);
	ctx.beginPath();
	ctx.arc(scale(mean), y, 4.5, 0, 7);
	ctx.fill();
}

/* Of a replication. */
function requests(point) {
	const known = (point.metrics || {}).requests;

	return Math.max(1, known ? known[0] : 1);
}

function tokenLines({ point, t }, name) {
	return [point.name, `${name}: taken ${solab.number(t.gets / requests(point))} times ` +
		'a request',
		`held ${solab.time(t.hold_mean_ns)}, at most ` +
		solab.time(t.hold_max_ns), `${solab.number(t.waits)} waits (` +
		`${solab.percent(100 * t.waits / Math.max(1, t.gets))}), ` +
		`${solab.time(t.wait_mean_ns)}, at most ` +
		solab.time(t.wait_max_ns), `CPU given up ${solab.number(
		t.collisions)} times; the busiest was held ` +
		`${solab.percent(t.busiest_pct)} of the time`];
}

function drawTokens(div, key) {
	const groups = tokenRows();
	const points = [...new Set(groups.flatMap(([, rows]) =>
	    rows.map((r) => r.point)))];

	solab.key(key, points.map((p) => ({ colour: p.colour, name: p.name })));
	if (solab.nothing(div, groups.length === 0,
	    'No point with tokens is selected.'))
		return;
	const narrow = div.clientWidth < 560;
	const left = narrow ? 100 : 140, right = narrow ? 0 : 150;
	const height = AXIS + groups.reduce((sum, [, rows]) =>
	    sum + rows.length * ROW + 10, 0);
	const { ctx, width } = solab.canvas(div, height);
	const w = (width - left - right - 70) / 2;
	const range = decades(groups);
	const sides = SIDES.map(([title, mean, max], i) => ({ title, mean, max,
		w, x: left + i * (w + 48) }));
	let y = AXIS;

	div.things = [];
	ctx.textBaseline = 'middle';
	for (const side of sides)
		drawAxis(ctx, side, range, height);
	for (const [name, rows] of groups) {
		ctx.fillStyle = solab.css('--fg');
		ctx.textAlign = 'right';
		ctx.fillText(name, left - 10, y + rows.length * ROW / 2, left - 12);
		for (const row of rows) {
			const share = 100 * row.t.waits / Math.max(1, row.t.gets);

			for (const side of sides)
				drawSpan(ctx, side, (ns) => side.x + side.w *
				    (Math.log10(Math.max(ns, 10 ** range[0])) -
				    range[0]) / (range[1] - range[0]), row,
				    y + ROW / 2);
			ctx.fillStyle = solab.css('--muted');
			ctx.textAlign = 'right';
			if (!narrow)
				ctx.fillText(`${solab.percent(share)} waited`,
				    width, y + ROW / 2);
			div.things.push({ x: left - 6, y, w: width - left + 6,
				h: ROW, lines: tokenLines(row, name) });
			y += ROW;
		}
		y += 10;
	}
}

const TOKEN = ['machine', 'name', 'count', 'gets', 'waits', 'collisions',
	'hold_mean_ns', 'hold_max_ns', 'wait_mean_ns', 'wait_max_ns',
	'busiest_pct'];

function tokensCsv() {
	return { name: 'tokens', header: ['point', ...TOKEN, 'gets_per_request'],
		rows: tokenRows().flatMap(([, rows]) => rows.map(({ point, t }) =>
		    [point.label, ...TOKEN.map((name) => t[name]),
			t.gets / requests(point)])) };
}

if (data.points.some((p) => p.tokens && p.tokens.length > 0))
	solab.section('tokens', 'Tokens', (body) => {
		const key = h('div');
		const div = solab.panel(body, { id: 'tokens-bars',
			title: 'Serialising tokens',
			note: 'Of the first replication. Dot: the mean; its ' +
			    'line: to the longest. Waited: of the times that ' +
			    'tokens were taken.', csv: tokensCsv });

		div.before(key);
		solab.walkable(div);
		solab.asTable(div, tokensCsv);
		solab.redraw(div, () => drawTokens(div, key));
	});

/* Listening sockets: a strip for each point. */

const PLOT = 84, DROPS = 34, HEAD = 26, FOOT = 24, LEFT = 50, WIDE = 40,
	LABEL = 30;
const real = (x) => Number.isFinite(x) ? x : 0;

function listenerPoints() {
	return solab.selected().filter((p) => p.listeners &&
	    p.listeners.length > 0).slice(0, STRIPS);
}

function scales(points) {
	const all = points.flatMap((p) => p.listeners);

	return { limit: Math.max(...all.map((l) => real(l[5]))),
		most: 1.06 * Math.max(1, ...all.flatMap((l) =>
		    [real(l[4]), real(l[5])])),
		lost: Math.max(0, ...all.map((l) => real(l[6]) + real(l[7]))),
		wide: Math.max(...points.map((p) => p.listeners.length)) };
}

function drawListener(ctx, row, x, w, { y, base, lost }) {
	const [, , , mean, max, limit, syn, refused] = row.map((v) =>
	    typeof v === 'number' ? real(v) : v);
	const gap = w > 12 ? 4 : 1;
	const bar = Math.max(1, w - gap);

	ctx.fillStyle = solab.css('--counted');
	ctx.fillRect(x, y(mean), bar, y(0) - y(mean));
	ctx.fillStyle = solab.css('--fg');
	ctx.fillRect(x, y(max) - 1, bar, 2);
	/* Its limit, a step of the dashed line. */
	ctx.fillStyle = solab.css('--muted');
	for (let at = x - gap / 2; at < x + bar + gap / 2; at += 6)
		ctx.fillRect(at, y(limit), 3.5, 1);
	if (lost > 0) {
		ctx.fillStyle = solab.meaning('drop');
		ctx.fillRect(x, base, bar, DROPS * syn / lost);
		ctx.fillStyle = solab.css('--c7');
		ctx.fillRect(x, base + DROPS * syn / lost, bar,
		    DROPS * refused / lost);
	}
}

function drawStrip(div, ctx, point, top, scale, width) {
	const { most, limit, lost, wide } = scale;
	const list = point.listeners;
	const w = Math.min(WIDE, (width - LEFT) / wide);
	const y = (q) => top + HEAD + PLOT - PLOT * q / most;
	const base = top + HEAD + PLOT + 18;
	const sum = (i) => list.reduce((all, l) => all + real(l[i]), 0);

	ctx.textAlign = 'left';
	ctx.fillStyle = solab.css('--fg');
	ctx.fillText(`${point.name}: ${solab.number(sum(6))} SYNs dropped, ` +
	    `${solab.number(sum(7))} refused, ${solab.number(sum(8))} accepted`,
	    0, top + 9, width);
	ctx.textAlign = 'right';
	ctx.fillStyle = solab.css('--muted');
	ctx.fillText('0', LEFT - 6, y(0));
	ctx.fillText(`${limit}`, LEFT - 6, y(limit));
	if (lost > 0)
		ctx.fillText('lost', LEFT - 6, base + 8);
	ctx.fillStyle = solab.css('--grid');
	ctx.fillRect(LEFT, y(0), w * list.length, 1);
	list.forEach((row, i) => {
		const [machine, index, cpu, mean, max, of, syn, refused,
			accepted] = row;
		const x = LEFT + i * w;

		drawListener(ctx, row, x, w, { y, base, lost });
		ctx.textAlign = 'center';
		ctx.fillStyle = solab.css('--muted');
		if (i % Math.ceil(LABEL / w) === 0)
			ctx.fillText(`${index}`, x + w / 2, y(0) + 10);
		div.things.push({ x, y: top + HEAD, w,
			h: PLOT + (lost > 0 ? DROPS + 18 : 16), lines: [
				point.name,
				`${machine}, listener ${index} on CPU ${cpu}`,
				`so_qlen ${solab.number(mean)} on the mean, at ` +
				    `most ${solab.number(max)}; so_qlimit ${of}`,
				`${solab.number(syn)} SYNs dropped, ` +
				    `${solab.number(refused)} third ACKs refused`,
				`${solab.number(accepted)} accepted`] });
	});
}

function drawListeners(div, key) {
	const points = listenerPoints();

	if (solab.nothing(div, points.length === 0,
	    'No point with listeners is selected.'))
		return;
	const scale = scales(points);
	const strip = HEAD + PLOT + FOOT + (scale.lost > 0 ? DROPS + 6 : 0);
	const { ctx, width } = solab.canvas(div, points.length * strip);

	solab.key(key, [{ name: 'mean length', colour: solab.css('--counted') },
		{ name: 'longest', colour: solab.css('--fg') },
		...scale.lost > 0 ? [{ name: `SYNs dropped (longest bar: ${
		    solab.number(scale.lost)})`, colour: solab.meaning('drop') },
		{ name: 'third ACKs refused', colour: solab.css('--c7') }] : []]);
	div.things = [];
	ctx.textBaseline = 'middle';
	points.forEach((point, i) =>
	    drawStrip(div, ctx, point, i * strip, scale, width));
}

function listenersCsv() {
	return { name: 'listeners', header: ['point', 'machine', 'listener',
		'cpu', 'qlen_mean', 'qlen_max', 'qlimit', 'syn_drops', 'refused',
		'accepted'], rows: listenerPoints().flatMap((p) =>
		p.listeners.map((row) => [p.label, ...row])) };
}

if (data.points.some((p) => p.listeners && p.listeners.length > 0))
	solab.section('listeners', 'Listening sockets', (body) => {
		const key = h('div');
		const div = solab.panel(body, { id: 'listener-bars',
			title: 'Completion queues',
			note: 'A strip for each selected point, a bar for each ' +
			    'listening socket: the connections on so_comp. ' +
			    'Dashed: their limit (so_qlimit). The queue may pass ' +
			    'it: SYNs are dropped from there on, third ACKs ' +
			    'refused past 3/2 of it. Sums over the replications.',
			csv: listenersCsv });

		div.before(key);
		solab.walkable(div);
		solab.asTable(div, listenersCsv);
		solab.redraw(div, () => drawListeners(div, key));
	});
})();
