'use strict';
/* Reading the values of a plot: by the pointer, and by keys. */
(() => {
const { h, css } = solab;
const pow = (k) => 10 ** k;

/* The first row that is not left of x, the last one if all are. */
function rowAt(g, x) {
	let low = 0, high = g.numRows() - 1;

	while (low < high) {
		const middle = Math.floor((low + high) / 2);

		if (g.getValue(middle, 0) < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A curve's height where it has no point of its own; NaN outside of it. */
function heightAt(g, i, x, steps) {
	const value = (row) => {
		const y = g.getValue(row, i + 1);

		return Array.isArray(y) ? y[1] : y;
	};
	const has = (row) => value(row) !== null && value(row) !== undefined;
	const row = rowAt(g, x);
	let a = row - 1, high = row;

	if (g.getValue(row, 0) === x && has(row))
		return value(row);
	while (a >= 0 && !has(a))
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
	    'values; drag to zoom, double click to see all. By keys: shift ' +
	    'and arrows; arrows, + and −, 0.' }));
}

/* Read by keys: along the curves, and from one to the next. */
function walk(div, e) {
	const g = div.graph, n = div.spec.curves.length;
	const [low, high] = g.xAxisRange(), step = (high - low) / 50;
	const of = Number(g.getHighlightSeries() || 0);
	const row = g.getSelection();
	const x = row < 0 ? (low + high) / 2 : g.getValue(row, 0);
	const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0],
		ArrowUp: [0, 1], ArrowDown: [0, -1] };

	if (!moves[e.key])
		return;
	const [by, to] = moves[e.key];
	let next = by === 0 && row >= 0 ? row : rowAt(g, Math.max(low, x + by));

	/* The nearest to the left, lest it stays at the row to the right. */
	while (by < 0 && next > 0 && g.getValue(next, 0) >= x)
		next--;
	const name = `${(of + to + n) % n}`;

	g.setSelection(next, name);
	div.lastChild.setAttribute('aria-live', 'polite');
	readout(div, div.spec, g.getValue(next, 0), name);
	e.preventDefault();
}

/* Zoom and move by keys, as by the pointer. */
function keys(div, e) {
	const g = div.graph;

	if (!g || e.ctrlKey || e.metaKey || e.altKey)
		return;
	if (e.shiftKey && e.key.startsWith('Arrow')) {
		walk(div, e);
		return;
	}
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

solab.reading = { readout, hint, seen, keys };
})();
