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

let scenario = 0, model = 0;

const TOP = 20, FOOT = 66, ROW = 34, TALL = 900;

/* Lower where there are many. */
function rowHeight() {
	return Math.max(2, Math.min(ROW,
	    Math.floor(TALL / down.axis.values.length)));
}

/*
 * One hue that gets deeper, so that it is read in grey, on paper, and by any
 * eye. In the dark the largest is the brightest.
 */
const SHADES = {
	light: ['#eaf1f8', '#b5d1e8', '#6ba6d0', '#2a70a8', '#0a3a66'],
	dark: ['#17293a', '#1f4a6b', '#2f76a5', '#6bb0dc', '#d3ecfb'],
};

function shade(t) {
	const rgb = solab.blend(SHADES[solab.isDark() ? 'dark' : 'light'], t);
	const [r, g, b] = rgb.map((c) => c / 255 <= 0.04045 ? c / 255 / 12.92 :
	    ((c / 255 + 0.055) / 1.055) ** 2.4);

	/* As far from black as from white. */
	return { fill: `rgb(${rgb.join(' ')})`,
	    text: 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ?
		'#0b1116' : '#ffffff' };
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
		    point.scenario !== scenario || point.model !== model ||
		    rest().some((a) => point.at[a.i] >= 0 &&
			point.at[a.i] !== (fixed.get(a) || 0)))
			continue;
		list.push({ point, x, y, value: value[0] });
	}
	return list;
}

/* As much room as the names of rows need. */
function leftOf(ctx, width) {
	return Math.ceil(Math.min(width / 3, 14 + Math.max(
	    ...[`${down.axis.short} ↓`, ...down.axis.values.slice(0, 1000)]
		.map((text) => ctx.measureText(text).width))));
}

/* The number in a cell: shorter if need be, or none. */
function fitting(ctx, format, value, room) {
	const text = [format.text(value), ...Math.abs(value) >= 1e4 &&
	    metric.unit !== 'ns' ? [`${Math.round(value / 1000)}k`] :
	    [Number(format.plain(value).toPrecision(2))]]
	    .find((t) => ctx.measureText(t).width < room - 3);

	return text === undefined ? '' : text;
}

/* The scale of colours, from the smallest value to the largest. */
function scale(ctx, y, left, width, format, low, high) {
	const name = `${solab.label(metric)}, ${format.unit || 'number'}:  ` +
	    format.text(low);
	const size = (text) => Math.ceil(ctx.measureText(text).width) + 8;
	const room = size(name) + size(format.text(high));
	const at = Math.max(0, Math.min(left, width - room - 220));
	const w = Math.max(20, Math.min(220, width - at - room));

	ctx.textAlign = 'left';
	ctx.fillStyle = solab.css('--fg');
	ctx.fillText(name, at, y + 6);
	ctx.fillText(format.text(high), at + size(name) + w + 8, y + 6);
	for (let i = 0; i < w; i++) {
		ctx.fillStyle = shade(i / w).fill;
		ctx.fillRect(at + size(name) + i, y, 1.5, 12);
	}
}

function axis(ctx, left, width, height, y) {
	const w = (width - left) / across.axis.values.length;
	const every = Math.ceil(36 / w), each = Math.ceil(14 / height);

	ctx.fillStyle = solab.css('--fg');
	ctx.textAlign = 'right';
	down.axis.values.forEach((v, i) => i % each === 0 &&
	    ctx.fillText(v, left - 8, TOP + height * (i + 0.5), left - 12));
	ctx.textAlign = 'center';
	across.axis.values.forEach((v, i) => i % every === 0 &&
	    ctx.fillText(v, left + w * (i + 0.5), y + 12, w * every - 4));
	ctx.fillStyle = solab.css('--muted');
	ctx.fillText(`${across.axis.short} →`, left + (width - left) / 2, y + 31);
	ctx.textAlign = 'right';
	ctx.fillText(`${down.axis.short} ↓`, left - 8, 8, left - 12);
}

function draw(div) {
	const nx = across.axis.values.length, ny = down.axis.values.length;
	const row = rowHeight(), foot = TOP + row * ny;
	const { ctx, width } = solab.canvas(div, foot + FOOT);
	const list = cells();
	const values = list.map((c) => c.value);
	const format = solab.column(metric, values);
	const low = values.reduce((a, b) => Math.min(a, b), Infinity);
	const high = values.reduce((a, b) => Math.max(a, b), -Infinity);
	const left = leftOf(ctx, width), w = (width - left) / nx;

	div.cells = [];
	ctx.textBaseline = 'middle';
	const font = ctx.font;

	if (w < 44)
		ctx.font = `10px ${solab.css('--font')}`;
	for (const c of list) {
		const colour = shade(high > low ?
		    (c.value - low) / (high - low) : 0.5);
		const x = left + c.x * w, y = TOP + c.y * row;
		ctx.fillStyle = colour.fill;
		ctx.fillRect(x, y, Math.max(1, w - 1), Math.max(1, row - 1));
		div.cells.push({ ...c, left: x, top: y, w, h: row });
		ctx.fillStyle = colour.text;
		ctx.textAlign = 'center';
		if (row >= 12)
			ctx.fillText(fitting(ctx, format, c.value, w), x + w / 2,
			    y + row / 2);
	}
	ctx.font = font;
	axis(ctx, left, width, row, foot);
	if (list.length > 0)
		scale(ctx, foot + 44, left, width, format, low, high);
	div.lastChild.textContent = list.length === 0 ?
	    'No point has these values.' : '';
	div.querySelector('canvas').setAttribute('aria-label', list.length === 0 ?
	    'nothing' : `${solab.label(metric)} from ${solab.value(metric, low)} to ` +
	    `${solab.value(metric, high)}; the numbers are in the CSV`);
}

/* The cell at the pointer, in words. */
function hover(div, e) {
	const box = div.querySelector('canvas').getBoundingClientRect();
	const x = e.clientX - box.left, y = e.clientY - box.top;
	const cell = (div.cells || []).find((c) => x >= c.left &&
	    x < c.left + c.w && y >= c.top && y < c.top + c.h);

	if (!cell) {
		solab.tip(e);
		return;
	}
	const half = cell.point.metrics[metric.name][1];

	solab.tip(e, cell.point.name, `${solab.label(metric)}: ` +
	    solab.value(metric, cell.value) + (half === null ? '' :
	    ` ± ${solab.half(metric, half, cell.value)}`));
}

solab.section('heat', 'Map', (body) => {
	const others = h('span', { class: 'tools' });
	const div = solab.panel(body, { id: 'heat-map',
		title: 'A metric over two parameters',
		note: 'The colour runs from the smallest value that is shown to ' +
		    'the largest. What has no point is empty.',
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
	const which = (label, names, initial, set) => names.length < 2 ? [] :
	    [solab.choice(label, names.map((v, i) => [i, v]), initial, (v) => {
		    set(Number(v));
		    redraw();
	    })];
	/* Which of them it is changes when the other becomes this one. */
	const picks = [pick('down', down, (a) => {
		if (a === across)
			across = down;
		down = a;
	}), pick('across', across, (a) => {
		if (a === down)
			down = across;
		across = a;
	})];
	const choices = () => {
		picks[0].lastChild.value = down.axis.path;
		picks[1].lastChild.value = across.axis.path;
		others.replaceChildren(...restOf());
	};
	const restOf = () => [
	    ...which('scenario', data.scenarios.map((s) => solab.brief(s.name)), scenario,
		(i) => { scenario = i; }),
	    ...which('model', data.models.map((m) => m.slice(0, 6)), model,
		(i) => { model = i; }),
	    ...rest().map((a) =>
		solab.choice(a.axis.short, a.axis.values.map((v, i) => [i, v]),
		    fixed.get(a) || 0, (v) => {
			    fixed.set(a, Number(v));
			    redraw();
		    }))];

	div.append(h('canvas', { role: 'img' }), h('p', { class: 'note',
		'aria-live': 'polite' }));
	div.addEventListener('pointermove', (e) => hover(div, e));
	div.addEventListener('pointerleave', (e) => solab.tip(e));
	div.toolbar.prepend(
	    solab.choice('metric', METRICS.map((m) =>
		[m.name, solab.label(m)]), metric.name, (v) => {
			metric = solab.metric(v);
			redraw();
		}), ...picks, others);
	choices();
	solab.redraw(div, redraw);
});
})();
