'use strict';
/* A metric over two parameters, as a map. */
(() => {
const { data, h } = solab;
const axes = solab.factors.filter(({ axis }) => axis.values.length > 1);
const METRICS = data.metrics.filter((m) => data.points.some((p) =>
    p.metrics[m.name] && p.metrics[m.name][0] !== null));

if (axes.length < 2 || METRICS.length === 0)
	return;

const byLength = [...axes].sort(
    (a, b) => b.axis.values.length - a.axis.values.length);
let across = byLength[0], down = byLength[1];
let metric = METRICS[0];
const fixed = new Map(); /* parameter: index of its value */

const LEFT = 90, TOP = 8, FOOT = 42, ROW = 34;

/* From pale to deep: as readable in grey, on paper, and to any eye. */
function shade(t) {
	const dark = solab.isDark();
	const light = dark ? 22 + 46 * t : 94 - 56 * t;

	return { fill: `hsl(${(212 - 20 * t).toFixed(0)} ${(45 + 25 * t)
	    .toFixed(0)}% ${light.toFixed(0)}%)`,
	    text: light > 55 ? '#10161c' : '#f4f7fa' };
}

function rest() {
	return axes.filter((a) => a !== across && a !== down);
}

function cells() {
	const list = [];

	for (const point of data.points) {
		const x = point.at[across.i], y = point.at[down.i];
		const value = point.metrics[metric.name];

		if (x < 0 || y < 0 || !value || value[0] === null ||
		    rest().some((a) => point.at[a.i] !== (fixed.get(a) || 0)))
			continue;
		list.push({ point, x, y, value: value[0] });
	}
	return list;
}

/* Without its unit where it repeats the heading. */
function brief(value) {
	if (metric.unit === 'ns')
		return solab.time(Number(value.toPrecision(3)));
	return Math.abs(value) >= 10000 ? `${solab.digits(value / 1000, 1)}k` :
	    solab.number(value);
}

function draw(div) {
	const nx = across.axis.values.length, ny = down.axis.values.length;
	const height = TOP + FOOT + ROW * ny;
	const { ctx, width } = solab.canvas(div, height);
	const list = cells();
	const values = list.map((c) => c.value);
	const low = Math.min(...values), high = Math.max(...values);
	const w = (width - LEFT) / nx;

	div.cells = [];
	ctx.textBaseline = 'middle';
	for (const c of list) {
		const colour = shade(high > low ?
		    (c.value - low) / (high - low) : 0.5);
		const x = LEFT + c.x * w, y = TOP + c.y * ROW;

		ctx.fillStyle = colour.fill;
		ctx.fillRect(x, y, w - 1, ROW - 1);
		div.cells.push({ ...c, left: x, top: y, w, h: ROW });
		ctx.fillStyle = colour.text;
		ctx.textAlign = 'center';
		if (ctx.measureText(brief(c.value)).width < w - 6)
			ctx.fillText(brief(c.value), x + w / 2, y + ROW / 2);
	}
	ctx.fillStyle = solab.css('--fg');
	ctx.textAlign = 'right';
	down.axis.values.forEach((v, i) => ctx.fillText(v, LEFT - 8,
	    TOP + ROW * (i + 0.5), LEFT - 12));
	ctx.textAlign = 'center';
	const every = Math.ceil(36 / w);

	across.axis.values.forEach((v, i) => i % every === 0 &&
	    ctx.fillText(v, LEFT + w * (i + 0.5), TOP + ROW * ny + 12,
		w * every - 4));
	ctx.fillStyle = solab.css('--muted');
	ctx.fillText(across.axis.short, LEFT + (width - LEFT) / 2,
	    TOP + ROW * ny + 31);
	ctx.textAlign = 'left';
	ctx.fillText(down.axis.short, 0, TOP + ROW * ny + 12, LEFT - 8);
	div.lastChild.textContent = list.length === 0 ?
	    'No point has these values.' :
	    `${metric.label}: ${solab.value(metric, low)} to ` +
	    solab.value(metric, high);
}

function hover(div, e) {
	const box = div.querySelector('canvas').getBoundingClientRect();
	const x = e.clientX - box.left, y = e.clientY - box.top;
	const cell = (div.cells || []).find((c) => x >= c.left &&
	    x < c.left + c.w && y >= c.top && y < c.top + c.h);

	if (cell)
		div.lastChild.textContent = `${cell.point.name}: ` +
		    solab.value(metric, cell.value);
}

solab.section('heat', 'Map', (body) => {
	const others = h('span', { class: 'tools' });
	const div = solab.panel(body, { id: 'heat-map',
		title: 'A metric over two parameters',
		note: 'The colour runs from the smallest value to the largest.',
		csv: () => ({ name: `map-${metric.name}`,
			header: [down.axis.short, across.axis.short, metric.name],
			rows: cells().map((c) => [down.axis.values[c.y],
			    across.axis.values[c.x], c.value]) }) });
	const redraw = () => draw(div);
	const pick = (label, initial, set) => solab.choice(label,
	    axes.map(({ axis }) => [axis.path, axis.short]),
	    initial.axis.path, (v) => {
		    set(axes.find(({ axis }) => axis.path === v));
		    choices();
		    redraw();
	    });
	const choices = () => others.replaceChildren(...rest().map((a) =>
	    solab.choice(a.axis.short, a.axis.values.map((v, i) => [i, v]),
		fixed.get(a) || 0, (v) => {
			fixed.set(a, Number(v));
			redraw();
		})));

	div.append(h('canvas'), h('p', { class: 'note', 'aria-live': 'polite' }));
	div.addEventListener('pointermove', (e) => hover(div, e));
	div.toolbar.prepend(
	    solab.choice('metric', METRICS.map((m) =>
		[m.name, m.label.replaceAll('_', ' ')]), metric.name, (v) => {
			metric = solab.metric(v);
			redraw();
		}),
	    pick('down', down, (a) => {
		    if (a === across)
			    across = down;
		    down = a;
	    }),
	    pick('across', across, (a) => {
		    if (a === down)
			    down = across;
		    across = a;
	    }), others);
	choices();
	solab.redraw(div, redraw);
});
})();
