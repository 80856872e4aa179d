'use strict';
/* One way to plot curves over a plane, by dygraphs. */
(() => {
const { h, css } = solab;
const { readout, hint, seen, keys } = solab.reading;

/* Which curve to bring forward: plots look at it when told. */
const hoverers = [];

solab.hover = (point) => {
	for (const fn of hoverers)
		fn(point);
};

/*
 * The legend of dygraphs writes style attributes, which the page's policy
 * refuses; ours is beside the charts.
 */
Dygraph.PLUGINS = Dygraph.PLUGINS.filter((p) => p !== Dygraph.Plugins.Legend);

const pow = (k) => 10 ** k;

/* Decades, 2 and 5 between them when there is room, more in a part of one. */
function logTicks(low, high, room, label) {
	const ticks = [];
	const many = room / Math.max(0.3, high - low);

	for (let k = Math.floor(low); k <= Math.ceil(high); k++)
		for (const m of many > 110 ? [1, 2, 5] : [1]) {
			const v = k + Math.log10(m);

			if (v >= low - 1e-9 && v <= high + 1e-9 &&
			    (many > 28 || k % 2 === 0))
				ticks.push({ v, label: label(pow(k) * m) });
		}
	if (ticks.length > 2 || high - low > 2)
		return ticks;
	return plainTicks(pow(low), pow(high), room / 45, label)
	    .filter((tick) => tick.v > 0)
	    .map((tick) => ({ ...tick, v: Math.log10(tick.v) }));
}

function plainTicks(low, high, room, label) {
	if (!(high > low))
		return [{ v: low, label: label(low) }];
	const rough = (high - low) / Math.max(2, room);
	const base = pow(Math.floor(Math.log10(rough)));
	const step = [1, 2, 5, 10].map((m) => m * base)
	    .find((s) => s >= rough * 0.999999);
	const ticks = [];

	/* Plus 0, for there is a -0 too. */
	for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step / 1e6;
	    i++)
		ticks.push({ v: i * step, label: label(i * step + 0) });
	return ticks;
}

/* Those that do not run into the one before: beside it, or (up) above it. */
function spaced(ticks, low, high, room, up) {
	const scale = room / (high - low);
	const kept = [];

	for (const tick of ticks) {
		const before = kept[kept.length - 1];
		const width = up ? 16 : 3.5 * (tick.label.length +
		    (before ? before.label.length : 0)) + 8;

		if (!before || (tick.v - before.v) * scale > width)
			kept.push(tick);
	}
	return kept;
}

/* dygraphs takes labels for HTML; ours are texts, of others. */
const html = (text) => `${text}`.replace(/[&<>"']/g,
    (c) => `&#${c.charCodeAt(0)};`);

/*
 * An axis: {label, log, format, short, ticks: [[value, text], ...], zero}.
 * zero: a linear one begins there.
 */
function ticker(axis, up) {
	const ticks = ticksOf(axis, up);

	return (low, high, room) => ticks(low, high, room)
	    .map(({ v, label }) => ({ v, label: html(label) }));
}

function ticksOf(axis, up) {
	const all = (axis.ticks || []).map(([v, label]) => ({ v, label }));
	const seen = (low, high) => all.filter(({ v }) =>
	    v >= low - 1e-9 && v <= high + 1e-9);
	const label = axis.short || axis.format;

	return (low, high, room) => spaced(axis.ticks ? seen(low, high) :
	    axis.log ? logTicks(low, high, room, label) :
	    plainTicks(low, high, room / (up ? 40 : 80), label),
	    low, high, room, up);
}

function edge(fy, y, by, mid) {
	const at = Number.isFinite(by) ? fy(y + by) : mid;

	return Number.isFinite(at) ? at : mid;
}

function rowsOf(curves, fx, fy, bands) {
	const rows = new Map();

	curves.forEach((curve, i) => {
		let last = NaN, again = 0;

		for (const [x, y, half] of curve.points) {
			const at = fx(x);

			if (!Number.isFinite(at))
				continue;
			/* What has no place is a gap; a second one is above. */
			const mid = Number.isFinite(fy(y)) ? fy(y) : NaN;

			again = at === last ? again + 1 : 0;
			last = at;
			const key = `${at} ${again}`;

			if (!rows.has(key))
				rows.set(key, [at, ...curves.map(() =>
				    bands ? [null, null, null] : null)]);
			rows.get(key)[i + 1] = bands ?
			    [edge(fy, y, -half, mid), mid, edge(fy, y, half, mid)] :
			    mid;
		}
	});
	/* Those at one place in the order of their curve: the sort is stable. */
	return [...rows.values()].sort((a, b) => a[0] - b[0]);
}

/*
 * The axes make room for curves only: two that are not seen, one through the
 * lowest mark at each place and one through the highest, make room for marks.
 * Returns: how many there are.
 */
function roomForMarks(rows, spec, fx, fy) {
	const at = new Map(rows.map((row) => [row[0], row]));
	const n = spec.curves.length;
	const none = () => spec.bands ? [null, null, null] : null;
	const marks_ = (spec.marks || []).map((m) => [fx(m.x), fy(m.y)])
	    .filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y));

	if (marks_.length === 0)
		return 0;
	for (const row of rows)
		row.push(none(), none());
	for (const [x, y] of marks_) {
		if (!at.has(x)) {
			at.set(x, [x, ...Array.from({ length: n + 2 }, none)]);
			rows.push(at.get(x));
		}
		const row = at.get(x);
		const put = (i, less) => {
			const now = spec.bands ? row[i][1] : row[i];

			if (now === null || less(y, now))
				row[i] = spec.bands ? [y, y, y] : y;
		};

		put(n + 1, (p, q) => p < q);
		put(n + 2, (p, q) => p > q);
	}
	rows.sort((p, q) => p[0] - q[0]);
	return 2;
}

/* What is seen of a graph; heights are left to it unless they are chosen. */
function zoomOf(g) {
	return g.isZoomed('y') ? { dateWindow: g.xAxisRange(),
		valueRange: g.yAxisRange() } : { dateWindow: g.xAxisRange() };
}

/* All at one place, which shall be in the middle. */
function lone(rows, log) {
	if (rows.length === 0 || rows[0][0] !== rows[rows.length - 1][0])
		return null;
	const x = rows[0][0], w = log ? 0.5 : Math.abs(x) / 2 || 1;

	return { dateWindow: [x - w, x + w] };
}

/*
 * spec: {height, x, y, curves: [{name, colour, dash, bold, points: [[x, y,
 * half-width]], point}], marks: [{x, y, text, colour}], steps, dots, bands,
 * nothing: what to say when no curve has a point, compare: whether values are
 * read as percentages of the baseline's too}.
 * What is not positive has no place on a logarithmic axis and is left out.
 * Returns: nothing; div.graph is the Dygraph, for tests and for synchronising.
 */
solab.plot = (div, spec) => {
	const fx = spec.x.log ? (v) => v > 0 ? Math.log10(v) : NaN : (v) => v;
	const fy = spec.y.log ? (v) => v > 0 ? Math.log10(v) : NaN : (v) => v;
	const rows = rowsOf(spec.curves, fx, fy, spec.bands);
	const kind = `${spec.x.log} ${spec.y.log} ${spec.x.label} ${spec.y.label}`;
	const alone = lone(rows, spec.x.log);
	const kept = div.graph && div.kind === kind && div.graph.isZoomed() &&
	    !div.alone && !alone ? zoomOf(div.graph) : alone || {};
	let place = div.querySelector(':scope > .plot');

	if (div.graph)
		div.graph.destroy();
	div.graph = null;
	div.kind = kind;
	div.alone = alone;
	if (!place) {
		place = h('div', { class: 'plot', tabindex: 0 });
		div.append(place, h('div', { class: 'readout',
			'aria-live': 'off' }));
		place.addEventListener('keydown', (e) => keys(div, e));
	}
	place.style.height = `${spec.height || 320}px`;
	place.classList.toggle('empty', rows.length === 0);
	place.setAttribute('aria-label', `${spec.y.label} over ${spec.x.label}: ` +
	    `${spec.curves.length} curves. Arrow keys move, + and - zoom, 0 ` +
	    'shows all; with shift, arrow keys read values.');
	div.spec = spec;
	hint(div, spec);
	if (rows.length === 0) {
		place.replaceChildren(h('p', { class: 'note',
			text: whyEmpty(spec) }));
		div.lastChild.replaceChildren();
		return;
	}
	place.replaceChildren();
	const unseen = Array(roomForMarks(rows, spec, fx, fy)).fill({
		colour: 'rgba(0, 0, 0, 0)', dash: null, bold: false });
	const all = [...spec.curves, ...unseen];
	const wide = spec.x.ticks ? Math.min(96, 24 + 7 * Math.max(
	    ...spec.x.ticks.map(([, text]) => text.length))) : 80;

	div.graph = new Dygraph(place, rows, {
		labels: ['x', ...all.map((c, i) => `${i}`)],
		colors: all.map((c) => c.colour),
		series: Object.fromEntries(all.map((c, i) => [`${i}`, {
			strokePattern: c.dash || null,
			strokeWidth: c.bold ? 3 : 1.5,
		}])),
		pixelRatio: solab.scale(),
		customBars: Boolean(spec.bands),
		fillAlpha: 0.15,
		stepPlot: Boolean(spec.steps),
		drawPoints: Boolean(spec.dots),
		pointSize: 3,
		connectSeparatedPoints: true,
		legend: 'never',
		labelsDiv: h('div'),
		showLabelsOnHighlight: false,
		axisLabelFontSize: 12,
		axisLineColor: css('--grid'),
		gridLineColor: css('--grid'),
		includeZero: Boolean(spec.y.zero && !spec.y.log),
		xRangePad: spec.dots ? 18 : 6,
		yRangePad: 10,
		rightGap: spec.x.ticks ? wide / 2 - 8 : 8,
		highlightCircleSize: 4,
		highlightSeriesBackgroundAlpha: spec.curves.length > 1 ? 0.45 : 1,
		highlightSeriesBackgroundColor: css('--bg'),
		animateBackgroundFade: false,
		highlightSeriesOpts: { strokeWidth: 3 },
		xlabel: html(spec.x.label), ylabel: html(spec.y.label),
		xLabelHeight: 16, yLabelWidth: 16,
		axes: {
			x: { ticker: ticker(spec.x, false), axisLabelWidth: wide,
				axisLabelFormatter: String },
			y: { ticker: ticker(spec.y, true), axisLabelWidth: 72,
				axisLabelFormatter: String },
		},
		highlightCallback: (e, x, points, row, of) => readout(div, spec,
		    x, seen(div.graph, spec, x, points, row, of)),
		unhighlightCallback: () => hint(div, spec),
		drawCallback: (g, initial) => {
			if (spec.drawn)
				spec.drawn(g, initial);
		},
		underlayCallback: (ctx, area, g) =>
		    marks(ctx, area, g, spec, fx, fy),
		...kept,
	});
	place.setAttribute('role', 'img');
	if (!div.hovered) {
		div.hovered = true;
		hoverers.push((point) => bring(div, point));
	}
};

function whyEmpty(spec) {
	if (spec.curves.some((c) => c.points.length > 0))
		return 'What there is has no place on a logarithmic axis.';
	if (solab.selected().length === 0)
		return 'No point is selected.';
	return spec.nothing || 'There is nothing to draw.';
}

/* The curve of a point, from its row in the legend. */
function bring(div, point) {
	if (!div.graph || !div.spec)
		return;
	const i = div.spec.curves.findIndex((c) => c.point && point &&
	    c.point.id === point.id);

	if (i < 0)
		div.graph.clearSelection();
	else
		div.graph.setSelection(false, `${i}`, false);
}

function marks(ctx, area, g, spec, fx, fy) {
	ctx.save();
	ctx.lineWidth = 1.5;
	for (const mark of spec.marks || []) {
		const x = g.toDomXCoord(fx(mark.x)), y = g.toDomYCoord(fy(mark.y));

		if (!(x >= area.x && x <= area.x + area.w && y >= area.y &&
		    y <= area.y + area.h))
			continue;
		ctx.strokeStyle = mark.colour;
		ctx.fillStyle = css('--bg');
		ctx.beginPath();
		ctx.moveTo(x, y - 6);
		ctx.lineTo(x + 6, y);
		ctx.lineTo(x, y + 6);
		ctx.lineTo(x - 6, y);
		ctx.closePath();
		ctx.fill();
		ctx.stroke();
	}
	ctx.restore();
}
})();
