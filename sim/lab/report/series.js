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

function title(name) {
	return name.replace(/_(ns|pct)$/, '').replaceAll('_', ' ') +
	    (meaning(name).sum ? ', per second' : '');
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

function draw(div, name) {
	busy = true;
	solab.plot(div, { height: 190,
		x: { label: 's', format: (x) => `${Number(x.toFixed(3))}` },
		y: { label: '', format: format(name) },
		curves: curves(name),
		drawn: (g, initial) => !initial && together(g) });
	busy = false;
}

solab.section('series', 'Over time', (body) => {
	const unsteady = data.points.filter((p) =>
	    p.steady === 'no-steady-state');
	const grid = h('div', { class: 'grid' });

	body.append(h('p', { class: 'note', text: 'A value for each slice of ' +
	    'the first replication; seconds since the measurement began. ' +
	    'Zooming in one chart zooms all.' }));
	if (unsteady.length > 0)
		body.append(h('p', { class: 'warn', text:
		    `${unsteady.length} of ${data.points.length} points have no ` +
		    'steady state: their end is not like their beginning.' }));
	if (NEVER.length > 0)
		body.append(h('p', { class: 'note', text:
		    `0 throughout: ${NEVER.join(', ')}.` }));
	body.append(grid);
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
	});
});
})();
