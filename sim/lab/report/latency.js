'use strict';
/* How latency is distributed: four views of the same histograms. */
(() => {
const { data, h } = solab;
const grid = data.percentiles.map((p) => 100 / (100 - p));
const QUANTILES = { latency_p50_ns: 50, latency_p90_ns: 90,
	latency_p99_ns: 99, latency_p999_ns: 99.9 };

if (!data.points.some((p) => p.latency && p.latency.q.length > 0))
	return;

let which = 'latency';
let scale = 'zero';
const drawers = [];
const NOTHING = 'No selected point has a distribution.';

function distribution(point) {
	return point[which] || { q: [], bins: [] };
}

function having() {
	return solab.selected().filter((p) => distribution(p).q.length > 0);
}

/* Selected points that the charts leave out, in words. */
function without() {
	const n = solab.selected().length - having().length;

	return n === 0 ? '' : `${n} selected ${n > 1 ? 'points have' :
		'point has'} no distribution: nothing was sampled, or the ` +
	    `page holds more than ${data.detailed || 400} points and only the ` +
	    'first have theirs.';
}

function curves(points) {
	const pinned = solab.baseline();

	return having().map((point) => ({
		name: point.name, point, colour: point.colour, dash: point.dash,
		bold: pinned === point, points: points(point),
	}));
}

/* Percentiles as they are called: 99.9 %. */
function percentile(x) {
	const p = 100 - 100 / x;
	const n = Math.max(0, Math.min(7, Math.ceil(Math.log10(x)) - 2));

	return `${p.toFixed(n)} %`;
}

const NAMED = [1, 2, 4, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];
const percentileAxis = () => ({ label: 'percentile', log: true,
	format: (x) => percentile(x),
	ticks: NAMED.map((x) => [Math.log10(x), percentile(x)]) });
const timeAxis = (log) => ({ label: which === 'cycle' ? 'cycle' : 'latency',
	log, zero: scale === 'zero', format: solab.time });
const shareAxis = (label, log) => ({ label, log,
	format: (y) => `${log && y < 1e-6 ? (100 * y).toExponential(0) :
	    Number((100 * y).toPrecision(3))} %` });

function published() {
	if (which !== 'latency')
		return [];
	return data.published.filter((q) => q.metric in QUANTILES &&
	    q.ratio_to === null && q.value !== null)
	    .map((q) => ({ q, point: solab.point(q.point) }))
	    .filter(({ point }) => point && solab.isSelected(point))
	    .map(({ q, point }) => ({
		    x: 100 / (100 - QUANTILES[q.metric]), y: q.value,
		    colour: point.colour, text: `published: ${point.name} ` +
			solab.time(q.value) }));
}

/* What a view's curves are, as rows: curve, x, y. */
function table(file, header, points) {
	return { name: file, header: ['point', ...header],
		rows: curves(points).flatMap((c) =>
		    c.points.map(([x, y]) => [c.name, x, y])) };
}

const views = [{
	id: 'latency-percentile',
	title: 'Latency by percentile',
	note: 'As HdrHistogram plots it: each step to the right is a tenth of ' +
	    'the requests that are left. ◇: published.',
	points: (p) => distribution(p).q.map((v, i) => [grid[i], v]),
	header: ['1/(1-percentile)', 'ns'],
	draw(div) {
		solab.plot(div, { height: 380, x: percentileAxis(),
			y: timeAxis(scale === 'log'), marks: published(),
			curves: curves(this.points), nothing: NOTHING,
			compare: true });
	},
}, {
	id: 'latency-cdf',
	title: 'Cumulative distribution',
	note: 'The share of requests that took no longer.',
	points: (p) => cumulative(p),
	header: ['ns', 'share'],
	draw(div) {
		solab.plot(div, { x: timeAxis(scale === 'log'),
			y: shareAxis('requests', false),
			curves: curves(this.points), nothing: NOTHING });
	},
}, {
	id: 'latency-ccdf',
	title: 'Complementary distribution',
	note: 'The share that took longer; both axes are logarithmic, so that ' +
	    'the tail is seen.',
	points: (p) => distribution(p).q.map((v, i) => [v, 1 / grid[i]]),
	header: ['ns', 'share'],
	draw(div) {
		solab.plot(div, { x: timeAxis(true),
			y: shareAxis('requests', true),
			curves: curves(this.points), nothing: NOTHING });
	},
}, {
	id: 'latency-histogram',
	title: 'Histogram',
	note: 'The share of requests in bins of equal width on a logarithmic ' +
	    'scale, 40 a decade.',
	points: (p) => steps(p),
	header: ['ns from', 'share'],
	draw(div) {
		solab.plot(div, { x: timeAxis(true),
			y: shareAxis('requests', false), steps: true,
			curves: curves(this.points), nothing: NOTHING });
	},
}];

/* Below the first tenth, which is one step of the percentiles, by bins. */
function cumulative(point) {
	const { q, bins } = distribution(point);
	const n = bins.reduce((sum, b) => sum + b[2], 0);
	const rows = [];
	let sum = 0;

	for (const [, high, count] of bins) {
		sum += count;
		if (sum / n >= 0.1)
			break;
		rows.push([high, sum / n]);
	}
	q.forEach((v, i) => {
		const p = data.percentiles[i] / 100;

		if (p === 0)
			rows.unshift([v, 0]);
		else
			rows.push([v, p]);
	});
	return rows;
}

/* All curves at all edges that any of them has, so that none is joined. */
function steps(point) {
	const edges = new Set();

	if (distribution(point).bins.length === 0)
		return [];
	for (const p of solab.selected())
		for (const [low, high] of distribution(p).bins) {
			edges.add(low || 1);
			edges.add(high);
		}
	const n = distribution(point).bins.reduce((sum, b) => sum + b[2], 0);
	const of = new Map(distribution(point).bins
	    .map(([low, , count]) => [low || 1, count / n]));

	return [...edges].sort((a, b) => a - b)
	    .map((edge) => [edge, of.get(edge) || 0]);
}

function redraw() {
	for (const draw of drawers)
		draw();
}

solab.section('latency', 'Latency', (body) => {
	const small = h('div', { class: 'grid' });
	const first = views[0];
	const panel = (view, into) => {
		const div = solab.panel(into, { id: view.id, title: view.title,
			note: view.note, csv: () =>
			    table(view.id.replace('latency', which),
				view.header, view.points) });
		const draw = () => view.draw(div);

		drawers.push(draw);
		return [div, draw];
	};
	const [main, draw] = panel(first, body);

	main.toolbar.prepend(
	    solab.choice('of', [['latency', 'latency, as the tool counts'],
		['cycle', 'the full cycle']], which, (v) => {
			which = v;
			redraw();
		}),
	    solab.choice('scale', [['zero', 'from 0'], ['part', 'what is drawn'],
		['log', 'logarithmic']], scale, (v) => {
			scale = v;
			redraw();
		}),
	    solab.button('reset zoom', () =>
		main.graph && main.graph.resetZoom(), 'or double click'));
	const missing = h('p', { class: 'note warn' });

	main.before(missing);
	solab.redraw(main, () => {
		missing.textContent = without();
		draw();
	});
	body.append(small);
	for (const [div, fn] of views.slice(1).map((v) => panel(v, small)))
		solab.redraw(div, fn);
});
})();
