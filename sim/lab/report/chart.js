'use strict';
/*
 * What charts on a canvas share: colours with a meaning, their numbers as a
 * table, and walking from one thing drawn to the next by keys.
 */
(() => {
const { h } = solab;
const ROWS = 500;

/*
 * Who has a CPU, and what it is called for: light, dark. They differ in
 * lightness too, for those who cannot tell the hues apart; accepting is the
 * strongest of the calls.
 */
const MEANINGS = {
	netisr: ['#0b5cad', '#5aa9f2'],
	intr: ['#b3261e', '#ff7a6b'],
	ithread: ['#e08a78', '#c8695c'],
	user: ['#e7c063', '#b8944a'],
	idle: ['#eceff2', '#262d34'],
	accept: ['#a3128c', '#ff74e4'],
	receive: ['#2f8f5b', '#58cc8c'],
	send: ['#4cb7c8', '#3d93a6'],
	wait: ['#77828c', '#8e99a4'],
	close: ['#c2a36c', '#8f784c'],
	other: ['#b9b0e0', '#7b72ad'],
	drop: ['#c8101a', '#ff5a5a'],
	faint: ['#e3e6ea', '#2b323a'],
};

solab.meaning = (name) => MEANINGS[name][solab.isDark() ? 1 : 0];

/* Rows that are made when they are looked at. */
solab.asTable = (div, csv, after) => {
	const fold = h('details', { class: 'fold numbers' },
	    h('summary', { text: 'as a table' }));
	const cell = (x) => typeof x !== 'number' ?
	    h('td', { class: 'text', text: x === null || x === undefined ? '' :
		String(x) }) :
	    h('td', { text: Number.isInteger(x) ? solab.number(x) :
		String(Number(x.toPrecision(6))) });
	const fill = () => {
		if (!fold.open)
			return;
		const { header, rows } = csv();
		const left = rows.length - ROWS;

		fold.replaceChildren(fold.firstChild, h('div', { class: 'table' },
		    h('table', {}, h('thead', {}, h('tr', {}, ...header.map((t, i) =>
			h('th', { scope: 'col', text: t, class: rows.length > 0 &&
			    typeof rows[0][i] === 'number' ? '' : 'text' })))),
		    h('tbody', {}, ...rows.slice(0, ROWS).map((row) =>
			h('tr', {}, ...row.map(cell)))))),
		left > 0 ? h('p', { class: 'note', text:
		    `${solab.number(left)} more rows: see the CSV.` }) : '');
	};

	fold.addEventListener('toggle', fill);
	(after || div).after(fold);
	fold.update = fill;
	solab.on('select', fill);
	return fold;
};

function showThing(div, ring, said, n) {
	const thing = div.things[n];
	const canvas = div.querySelector('canvas');
	const box = canvas.getBoundingClientRect();

	div.at = n;
	ring.hidden = false;
	ring.style.left = `${canvas.offsetLeft + thing.x}px`;
	ring.style.top = `${canvas.offsetTop + thing.y}px`;
	ring.style.width = `${thing.w}px`;
	ring.style.height = `${thing.h}px`;
	ring.scrollIntoView({ block: 'nearest', inline: 'nearest' });
	solab.tip({ clientX: box.left + thing.x + thing.w / 2,
		clientY: box.top + thing.y + thing.h / 2 }, ...thing.lines);
	said.textContent = thing.lines.join('; ');
}

/* div.things, as for solab.hoverable(): by the pointer and by keys. */
solab.walkable = (div) => {
	const ring = h('div', { class: 'ring', hidden: true });
	const said = h('p', { class: 'spoken', 'aria-live': 'polite' });
	const leave = (e) => {
		ring.hidden = true;
		solab.tip(e);
	};

	solab.hoverable(div);
	div.classList.add('walk');
	div.tabIndex = 0;
	div.append(ring, said);
	div.addEventListener('keydown', (e) => {
		const last = (div.things || []).length - 1;
		const at = ring.hidden ? -1 : Math.min(div.at, last);
		const to = { ArrowRight: at + 1, ArrowDown: at + 1,
			ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0,
			End: last }[e.key];

		if (e.key === 'Escape')
			leave(e);
		if (to === undefined || last < 0 || e.ctrlKey || e.altKey ||
		    e.metaKey)
			return;
		showThing(div, ring, said, Math.max(0, Math.min(last, to)));
		e.preventDefault();
	});
	div.addEventListener('blur', leave);
};

/* A canvas that shows nothing says so. Returns: whether it does. */
solab.nothing = (div, empty, text) => {
	let note = div.querySelector(':scope > .nothing');

	if (!note) {
		note = h('p', { class: 'note nothing' });
		div.append(note);
	}
	note.hidden = !empty;
	note.textContent = text;
	if (empty) {
		solab.canvas(div, 1);
		div.things = [];
	}
	return empty;
};
})();
