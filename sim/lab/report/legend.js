'use strict';
/* The legend: a table of points that filters, toggles and pins. */
(() => {
const { data, h } = solab;
const ROWS = 300; /* as many are listed at a time */

const SVG = 'http://www.w3.org/2000/svg';

/*
 * A piece of a curve as it is drawn, of what has a colour and a dash. Its
 * colour() looks them up again.
 */
solab.stroke = (curve) => {
	const svg = document.createElementNS(SVG, 'svg');
	const line = document.createElementNS(SVG, 'line');
	const set = (element, attrs) => {
		for (const [name, value] of Object.entries(attrs))
			element.setAttribute(name, value);
	};

	set(svg, { class: 'swatch', width: 26, height: 8, 'aria-hidden': 'true' });
	set(line, { x1: 0, x2: 26, y1: 4, y2: 4, 'stroke-width': 2.5 });
	svg.append(line);
	svg.colour = () => set(line, { stroke: curve.colour,
		'stroke-dasharray': (curve.dash || []).join(' ') || 'none' });
	svg.colour();
	return svg;
};

function makeRow(point) {
	const id = `pick-${point.id}`;
	const box = h('input', { type: 'checkbox', id, 'aria-label': point.name,
		disabled: point.reps === 0 });
	const pin = solab.button('⚑', () => solab.pin(point),
	    'compare the others with this point');
	const line = solab.stroke(point);
	const row = h('tr', { title: point.label },
	    h('td', {}, box), h('td', {}, line),
	    ...solab.columns.map((c) =>
		h('td', {}, h('label', { for: id, text: c.of(point) }))),
	    h('td', {}, pin));

	pin.className = 'pin';
	pin.disabled = point.reps === 0;
	pin.setAttribute('aria-label', `baseline: ${point.name}`);
	box.addEventListener('change', () => {
		if (!solab.select(point, box.checked))
			box.checked = false;
	});
	row.addEventListener('pointerenter', () => solab.hover(point));
	row.addEventListener('pointerleave', () => solab.hover(null));
	row.update = () => {
		const pinned = solab.baseline() === point;

		line.colour();
		box.checked = solab.isSelected(point);
		pin.setAttribute('aria-pressed', pinned);
		row.classList.toggle('pinned', pinned);
		row.classList.toggle('off', !box.checked);
	};
	row.point = point;
	return row;
}

const words = new Set();

/*
 * Words that must all be in a point's label. What some point has as a whole
 * (soavailconn=1) is not a part of something longer (soavailconn=16).
 */
solab.matches = (point, text) => {
	const of = (p) => `${p.label} ${p.name} ${p.id}`.toLowerCase();
	const label = of(point);

	if (words.size === 0)
		for (const p of data.points)
			for (const word of of(p).split(' '))
				words.add(word);
	return text.toLowerCase().trim().split(/\s+/).every((w) =>
	    w.includes('=') && words.has(w) ? label.split(' ').includes(w) :
		label.includes(w));
};

function stateOf(listed, found) {
	const n = solab.selected().length, of = data.points.length;

	return `${n} of ${solab.number(of)} points drawn` +
	    (n >= solab.maxCurves ? ', the most that can be' : '') +
	    (found > listed ? `; ${listed} of ${solab.number(found)} found are ` +
		'listed' : '');
}

solab.legend = () => {
	const rows = new Map();
	const body = h('tbody');
	const filter = h('input', { type: 'search', id: 'find',
		placeholder: 'find points: object=1KiB', 'aria-label':
		'find points' });
	const state = h('p', { class: 'note', 'aria-live': 'polite' });
	const found = () => data.points.filter((p) =>
	    solab.matches(p, filter.value));
	const rowOf = (point) => {
		if (!rows.has(point.id))
			rows.set(point.id, makeRow(point));
		return rows.get(point.id);
	};
	let listed = [], count = 0;
	const update = () => {
		for (const row of listed)
			row.update();
		state.textContent = stateOf(listed.length, count);
	};
	/* What is drawn comes first where there is no room for all. */
	const list = () => {
		const all = found();

		count = all.length;
		if (count > ROWS)
			all.sort((a, b) => solab.isSelected(b) -
			    solab.isSelected(a));
		listed = all.slice(0, ROWS).map(rowOf);
		body.replaceChildren(...listed);
		update();
	};

	filter.addEventListener('input', list);
	solab.on('select', update);
	solab.on('theme', update);
	list();
	return h('details', { id: 'legend', class: 'legend', open: true },
	    h('summary', { text: 'Points' }), filter,
	    h('div', { class: 'tools' },
		solab.button('all', () => solab.selectOnly(found()),
		    'draw all that the filter shows'),
		solab.button('none', () => solab.selectOnly([]), 'draw none')),
	    state,
	    h('div', { class: 'scroll' }, h('table', {},
		h('thead', {}, h('tr', {}, h('th'), h('th'),
		    ...solab.columns.map((c) => h('th', { text: c.text,
			title: c.title, scope: 'col' })), h('th'))), body)));
};
})();
