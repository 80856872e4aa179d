'use strict';
/* A metric over a parameter: a curve for each choice of the others. */
(() => {
const { data, h } = solab;
const axes = solab.factors;
const METRICS = data.metrics.filter((m) => data.points.some((p) =>
    p.metrics[m.name] && p.metrics[m.name][0] !== null));

if (axes.length === 0 || METRICS.length === 0)
	return;

/* The parameter with the most numbers, else the first. */
const numeric = axes.filter(({ axis }) => axis.numbers)
    .sort((a, b) => b.axis.values.length - a.axis.values.length);
let over = numeric[0] || axes[0];
let metric = METRICS[0];
let scaling = 'part';

/*
 * Where a value is drawn: numbers by their size, on a logarithmic scale when
 * they span more than a factor of 16; 0, which often means "no limit", apart at
 * the left of these; other values at equal distances.
 */
function scale({ axis }) {
	const positive = (axis.numbers || []).filter((x) => x > 0);
	const low = Math.min(...positive), high = Math.max(...positive);

	if (!axis.numbers || axis.numbers.some((x) => x < 0))
		return axis.values.map((_, i) => i);
	if (high / low <= 16)
		return axis.numbers;
	const gap = Math.log10(high / low) / Math.max(2, positive.length);

	return axis.numbers.map((x) => x > 0 ? Math.log10(x) :
	    Math.log10(low) - 1.3 * gap);
}

function groups() {
	const found = new Map();
	const others = axes.filter((a) => a !== over);

	for (const point of data.points) {
		if (point.at[over.i] < 0 || point.reps === 0)
			continue;
		const parts = others.filter(({ i }) => point.at[i] >= 0)
		    .map(({ axis, i }) => `${axis.short}=` +
			axis.values[point.at[i]]);

		if (data.scenarios.length > 1)
			parts.unshift(solab.brief(
			    data.scenarios[point.scenario].name));
		if (data.models.length > 1)
			parts.push(`model ${data.models[point.model].slice(0, 6)}`);
		const key = parts.join(' ');

		if (!found.has(key))
			found.set(key, []);
		found.get(key).push(point);
	}
	return [...found];
}

const COLOURS = 10;
const DASHES = [null, [7, 3], [2, 2], [9, 3, 2, 3]];

/* No line joins 0 with the numbers from which it stands apart. */
function gap(x, rows) {
	const numbers = over.axis.numbers || [];
	const zero = numbers.indexOf(0);
	const first = numbers.findIndex((v) => v > 0);

	if (zero >= 0 && first >= 0 && x[first] !== numbers[first])
		rows.push([(x[zero] + x[first]) / 2, NaN]);
	return rows;
}

function curves() {
	const x = scale(over);

	return groups().slice(0, solab.maxCurves).map(([name, points], i) => ({
		name: name || solab.label(metric),
		colour: solab.css(`--c${i % COLOURS}`),
		dash: DASHES[Math.floor(i / COLOURS)],
		points: gap(x, points.filter((p) => p.metrics[metric.name])
		    .map((p) => [x[p.at[over.i]], ...p.metrics[metric.name], p])),
	}));
}

function published(list) {
	const x = scale(over);

	return data.published.filter((q) => q.metric === metric.name &&
	    q.ratio_to === null && q.value !== null).flatMap((q) => {
		const curve = list.find((c) =>
		    c.points.some((row) => row[3] && row[3].id === q.point));
		const point = solab.point(q.point);

		return curve ? [{ x: x[point.at[over.i]], y: q.value,
			colour: curve.colour, text: `published: ${point.name} ` +
			    solab.value(metric, q.value) }] : [];
	});
}

function draw(div, key) {
	const list = curves();
	const x = scale(over), values = over.axis.values;
	const at = new Map(x.map((v, i) => [v, values[i]]));

	solab.plot(div, {
		height: 360, dots: true, bands: true,
		x: { label: over.axis.short, log: false,
			ticks: x.map((v, i) => [v, values[i]]),
			format: (v) => `${over.axis.short}=${at.get(v) || v}` },
		y: { label: solab.label(metric),
			log: scaling === 'log', zero: scaling === 'zero',
			format: (y) => solab.value(metric, y) },
		curves: list, marks: published(list),
		nothing: 'No point has both.',
	});
	key.replaceChildren(...list.map((c, i) => {
		const item = h('span', { class: 'item' }, solab.stroke(c), c.name);

		item.addEventListener('pointerenter', () =>
		    div.graph && div.graph.setSelection(false, `${i}`));
		item.addEventListener('pointerleave', () =>
		    div.graph && div.graph.clearSelection());
		return item;
	}));
	const more = groups().length - list.length;

	if (more > 0)
		key.append(h('span', { class: 'warn', text: `${more} more ` +
			'combinations are not drawn' }));
}

solab.section('sweep', 'Sweep', (body) => {
	const key = h('div', { class: 'key' });
	const redraw = () => draw(div, key);
	const div = solab.panel(body, { id: 'sweep-curves',
		title: 'A metric over a parameter',
		note: 'All points of the page, selected or not; a curve for each ' +
		    'combination of the other parameters. Bands: 95 % intervals ' +
		    'over the replications. ◇: published.',
		csv: () => ({ name: `sweep-${metric.name}`,
			header: ['curve', over.axis.short, metric.name, 'half'],
			rows: curves().flatMap((c) => c.points
			    .filter((row) => row[3]).map(
			    ([, y, half, p]) => [c.name,
			    over.axis.values[p.at[over.i]], y, half])) }) });

	div.toolbar.prepend(
	    solab.choice('metric', METRICS.map((m) =>
		[m.name, solab.label(m)]), metric.name, (v) => {
			metric = solab.metric(v);
			redraw();
		}),
	    solab.choice('over', axes.map(({ axis }) =>
		[axis.path, axis.short]), over.axis.path, (v) => {
			over = axes.find(({ axis }) => axis.path === v);
			if (div.graph)
				div.graph.resetZoom();
			redraw();
		}),
	    solab.choice('scale', [['part', 'what is drawn'], ['zero', 'from 0'],
		['log', 'logarithmic']], scaling, (v) => {
			scaling = v;
			redraw();
		}));
	div.after(key);
	solab.redraw(div, redraw);
});
})();
