'use strict';
/* What changed over time: a small chart for each series, slice by slice. */
(() => {
const { data, h } = solab;
const ALL = [...new Set(data.points.flatMap((p) =>
    Object.keys(p.series || {})))];
/* What is asked for most comes first. */
const FIRST = ['requests', 'latency_mean_ns', 'so_qlen', 'so_qlen_max',
	'drop_syn_queue_full', 'drop_ack_queue_full', 'client_syn_retries',
	'busy_pct', 'netisr_pct', 'interrupt_pct'];
const rank = (name) => FIRST.includes(name) ? FIRST.indexOf(name) : 99;
/* What never happened is said, not drawn. */
const NAMES = ALL.filter((name) => data.points.some((p) =>
    ((p.series || {})[name] || []).some((v) => v)))
    .sort((a, b) => rank(a) - rank(b));
const NEVER = ALL.filter((name) => !NAMES.includes(name));

if (ALL.length === 0)
	return;

/* Of the metrics' means over the slices, as `solab run` marks them. */
const DOUBTS = { 'no-steady-state': 'no steady state: the end is not like ' +
	'the beginning', 'warmup-short': 'the warm-up is too short' };

/* What adds up in a slice is drawn as a rate. */
const info = data.series || {};

function meaning(name) {
	const known = info[name];

	if (known)
		return { unit: known.unit, sum: known.kind === 'sum',
			text: known.help };
	if (name.endsWith('_ns'))
		return { unit: 'ns' };
	if (name.endsWith('_pct'))
		return { unit: '%' };
	return { unit: '', sum: name === 'requests' };
}

/* As the store has it. */
function title(name) {
	return name + (meaning(name).sum ? ', per second' : '');
}

function format(name) {
	const { unit, sum } = meaning(name);
	const per = sum ? '/s' : '';

	return (y) => unit === '%' ? solab.percent(y) :
	    (unit === 'ns' ? solab.time(y) : solab.number(y)) + per;
}

/* In the middle of each slice, seconds from the start of the measurement. */
function points(point, name) {
	const values = (point.series || {})[name] || [];
	const slice = point.slice_ns / 1e9;
	const { sum } = meaning(name);

	/* The last one may be shorter. */
	return values.map((v, i) => {
		const length = Math.min(slice,
		    point.measure_ns / 1e9 - i * slice);

		return [i * slice + length / 2, v === null ? NaN :
		    sum ? v / length : v];
	});
}

function curves(name) {
	const pinned = solab.baseline();

	return solab.selected().map((point) => ({ name: point.name, point,
		colour: point.colour, dash: point.dash, bold: point === pinned,
		points: points(point, name) }));
}

const divs = [];
let busy = false;

/* One window of time for all of them. */
function together(g) {
	if (busy)
		return;
	busy = true;
	for (const div of divs)
		if (div.graph && div.graph !== g)
			div.graph.updateOptions({ dateWindow: g.isZoomed('x') ?
			    g.xAxisRange() : null });
	busy = false;
}

/* One moment for all of them: the row of a chart at x. */
function rowAt(g, x) {
	let low = 0, high = g.numRows() - 1;

	while (low < high) {
		const mid = (low + high) >> 1;

		if (g.getValue(mid, 0) < x - 1e-9)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

function pointAll(g, x) {
	for (const div of divs)
		if (div.graph && div.graph !== g) {
			if (x === null)
				div.graph.clearSelection();
			else
				div.graph.setSelection(rowAt(div.graph, x));
		}
}

function hoverTogether(g) {
	const over = g.getFunctionOption('highlightCallback');
	const out = g.getFunctionOption('unhighlightCallback');

	g.updateOptions({
		highlightCallback: (e, x, ...rest) => {
			over(e, x, ...rest);
			pointAll(g, x);
		},
		unhighlightCallback: (e) => {
			out(e);
			pointAll(g, null);
		},
	}, true);
}

/* A mark where a curve cannot be trusted: at its end, or at its start. */
function marksOf(list) {
	return list.filter(({ point }) => DOUBTS[point.steady])
	    .flatMap(({ point, colour, points: values }) => {
		const known = values.filter(([, y]) => Number.isFinite(y));
		const at = point.steady === 'warmup-short' ? known[0] :
		    known[known.length - 1];

		return at ? [{ x: at[0], y: at[1], colour, text:
		    `${point.name}: ${DOUBTS[point.steady]}` }] : [];
	});
}

function draw(div, name) {
	const list = curves(name);

	busy = true;
	solab.plot(div, { height: 180,
		x: { label: 's', format: (x) => `${Number(x.toFixed(4))} s`,
			short: (x) => `${Number(x.toPrecision(6))}` },
		y: { label: '', format: format(name) },
		curves: list, marks: marksOf(list),
		drawn: (g, initial) => !initial && together(g) });
	if (div.graph)
		hoverTogether(div.graph);
	busy = false;
}

/* Mean, least and most of each curve: what one reads off it. */
function summary(name) {
	return { header: ['point', 'mean', 'least', 'most'],
		rows: curves(name).map((c) => {
			const ys = c.points.map(([, y]) => y)
			    .filter(Number.isFinite);
			const say = format(name);

			return [c.name, ...ys.length === 0 ? ['', '', ''] : [
				ys.reduce((a, b) => a + b, 0) / ys.length,
				Math.min(...ys), Math.max(...ys)].map(say)];
		}) };
}

function doubts() {
	return Object.entries(DOUBTS).flatMap(([steady, text]) => {
		const points_ = solab.selected().filter((p) =>
		    p.steady === steady);

		return points_.length === 0 ? [] : [h('p', { class: 'warn',
			text: `◇ ${text}: ` + points_.slice(0, 8).map((p) =>
			    p.name).join('; ') + (points_.length > 8 ?
			    `; and ${points_.length - 8} more` : '') })];
	});
}

solab.section('series', 'Over time', (body) => {
	const grid = h('div', { class: 'grid' });
	const warned = h('div');

	body.append(h('p', { class: 'note', text: 'A value for each slice of ' +
	    'the first replication; seconds since the measurement began, so ' +
	    'the warm-up is not shown. Zooming and pointing in one chart does ' +
	    'so in all.' }), warned);
	if (NEVER.length > 0)
		body.append(h('p', { class: 'note', text:
		    `0 throughout: ${NEVER.join(', ')}.` }));
	body.append(grid);
	solab.redraw(warned, () => warned.replaceChildren(...doubts()));
	const panels = NAMES.map((name) => solab.panel(grid, {
		id: `series-${name}`, title: title(name),
		note: meaning(name).text,
		csv: () => ({ name: `series-${name}`,
			header: ['point', 'seconds', name],
			rows: curves(name).flatMap((c) => c.points
			    .map(([x, y]) => [c.name, x,
				Number.isFinite(y) ? y : null])) }) }));

	panels.forEach((div, i) => {
		divs.push(div);
		solab.redraw(div, () => draw(div, NAMES[i]));
		solab.asTable(div, () => summary(NAMES[i]));
	});
});
})();
