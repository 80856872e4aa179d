'use strict';
/* One way to plot curves over a plane, by dygraphs, and to read them. */
(() => {
const { h, css } = solab;

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

/*
 * An axis: {label, log, format, short, ticks: [[value, text], ...], zero}.
 * zero: a linear one begins there.
 */
function ticker(axis, up) {
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
	    `${spec.curves.length} curves. Arrow keys, + and - zoom, 0 resets.`);
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
		xlabel: spec.x.label, ylabel: spec.y.label,
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

/* A curve's height where it has no point of its own; NaN outside of it. */
function heightAt(g, i, x, steps) {
	const value = (row) => {
		const y = g.getValue(row, i + 1);

		return Array.isArray(y) ? y[1] : y;
	};
	const has = (row) => value(row) !== null && value(row) !== undefined;
	let low = 0, high = g.numRows() - 1;

	while (low < high) {
		const middle = Math.floor((low + high) / 2);

		if (g.getValue(middle, 0) < x)
			low = middle + 1;
		else
			high = middle;
	}
	let a = low;

	if (g.getValue(low, 0) === x && has(low))
		return value(low);
	for (a = low - 1; a >= 0 && !has(a);)
		a--;
	while (high < g.numRows() && !has(high))
		high++;
	if (a < 0 || high === g.numRows())
		return NaN;
	const x0 = g.getValue(a, 0), x1 = g.getValue(high, 0);
	const part = steps ? 0 : (x - x0) / (x1 - x0);

	return value(a) + (value(high) - value(a)) * part;
}

function item(curve, near, text) {
	return h('span', { class: near ? 'item near' : 'item' },
	    solab.stroke(curve), `${curve.name} `, h('b', { text }));
}

/* The curve next to one that is not seen, which has the pointer. */
function seen(g, spec, x, points, row, of) {
	const at = points.find((p) => p.name === of);

	if (!at || spec.curves[of])
		return of;
	const next = spec.curves.map((_, i) => ({ i,
		by: Math.abs(heightAt(g, i, x, spec.steps) - at.yval) }))
	    .filter(({ by }) => Number.isFinite(by))
	    .reduce((a, b) => a && a.by <= b.by ? a : b, null);

	if (!next)
		return of;
	g.setSelection(row, `${next.i}`);
	return `${next.i}`;
}

/* Published values near the pointer, in words. */
function marksAt(div, spec, x) {
	const [low, high] = div.graph.xAxisRange();

	return (spec.marks || []).filter((m) =>
	    Math.abs((spec.x.log ? Math.log10(m.x) : m.x) - x) <
	    (high - low) / 60);
}

/*
 * Under the chart: where the pointer is, and all curves there, from the highest
 * to the lowest. It goes when the pointer leaves.
 */
function readout(div, spec, x, of) {
	const back = spec.x.log ? pow(x) : x;
	const list = spec.curves.map((curve, i) => ({ curve, i,
		y: heightAt(div.graph, i, x, spec.steps) }))
	    .filter(({ y }) => Number.isFinite(y)).sort((a, b) => b.y - a.y);
	const most = (spec.height || 0) > 300 ? 40 : 8;
	const near = list.findIndex(({ i }) => `${i}` === of);
	const from = Math.max(0, Math.min(list.length - most,
	    near - Math.floor(most / 2)));
	const shown = list.slice(from, from + most);
	const height = (y) => spec.y.log ? pow(y) : y;
	const base = spec.compare && list.find(({ curve }) => curve.bold);

	div.lastChild.replaceChildren(
	    h('b', { class: 'at', text: (spec.x.format || String)(back) }),
	    ...shown.map(({ curve, i, y }) => item(curve, `${i}` === of,
		spec.y.format(height(y)) + (base && base.curve !== curve ?
		change(height(y), height(base.y)) : ''))),
	    ...(list.length > shown.length ? [h('span', { class: 'item',
		    text: `and ${list.length - shown.length} more` })] : []),
	    ...marksAt(div, spec, x).map((m) =>
		h('span', { class: 'item', text: `◇ ${m.text}` })));
	line(div.graph, x);
}

/* Against the baseline. */
function change(y, base) {
	const by = 100 * (y / base - 1);

	return Number.isFinite(by) ? ` (${by < 0 ? '−' : '+'}` +
	    `${solab.percent(Math.abs(by))})` : '';
}

function line(g, x) {
	const ctx = g.canvas_ctx_, { y, h: height } = g.getArea();

	ctx.save();
	ctx.fillStyle = css('--muted');
	ctx.globalAlpha = 0.6;
	ctx.fillRect(Math.round(g.toDomXCoord(x)), y, 1, height);
	ctx.restore();
}

/*
 * What else: below a large chart a hint, in room that the values of the last
 * time keep, so that nothing jumps; nothing over a small one.
 */
function hint(div, spec) {
	const place = div.lastChild;

	if ((spec.height || 0) <= 300) {
		place.replaceChildren();
		return;
	}
	place.style.minHeight = `${place.offsetHeight}px`;
	place.replaceChildren(h('span', { class: 'at', text: 'Hover to read ' +
	    'values; drag to zoom, double click to see all.' }));
}

/* Zoom and move by keys, as by the pointer. */
function keys(div, e) {
	const g = div.graph;

	if (!g || e.ctrlKey || e.metaKey || e.altKey)
		return;
	const [low, high] = g.xAxisRange(), w = high - low;
	const windows = {
		ArrowLeft: [low - w / 8, high - w / 8],
		ArrowRight: [low + w / 8, high + w / 8],
		'+': [low + w / 6, high - w / 6],
		'=': [low + w / 6, high - w / 6],
		'-': [low - w / 4, high + w / 4],
	};

	if (e.key === '0')
		g.resetZoom();
	else if (windows[e.key])
		g.updateOptions({ dateWindow: windows[e.key] });
	else
		return;
	e.preventDefault();
}
})();
