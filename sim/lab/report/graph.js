'use strict';
/* The topology: what dot made of it when the report was written. */
(() => {
const { data, h } = solab;

if (!data.graphs || data.graphs.length === 0)
	return;

/* Only shapes and texts: nothing in a picture may run or fetch. */
function picture(text) {
	const root = new DOMParser().parseFromString(text, 'image/svg+xml')
	    .documentElement;

	if (root.nodeName !== 'svg')
		return null;
	for (const node of [root, ...root.querySelectorAll('*')]) {
		if (/^(script|foreignObject|image|use|style)$/i
		    .test(node.localName)) {
			node.remove();
			continue;
		}
		for (const { name } of [...node.attributes])
			if (/^on|style$|href$/i.test(name))
				node.removeAttribute(name);
	}
	return document.importNode(root, true);
}

function show(place, graph) {
	const svg = graph.svg ? picture(graph.svg) : null;

	place.replaceChildren(svg || h('p', { class: 'note', text:
	    'There was no dot to draw it when the report was made. Its ' +
	    'source is below.' }));
	if (svg)
		svg.setAttribute('role', 'img');
	place.append(h('details', { class: 'fold' }, h('summary', { text:
	    'DOT source' }), h('pre', { text: graph.dot })));
}

solab.section('graph', 'Topology', (body) => {
	const name = (g) => {
		const point = solab.point(g.point);

		return point ? point.name : 'scenario';
	};
	const pinned = solab.baseline() || solab.selected()[0];
	let graph = data.graphs.find((g) => pinned && g.point === pinned.id) ||
	    data.graphs[0];
	const div = solab.panel(body, { id: 'topology',
		title: 'Ports, rings, CPUs, sockets, threads',
		note: 'With what the run of this point put on them.' });

	div.classList.add('paper');
	div.toolbar.append(
	    data.graphs.length > 1 ? solab.choice('point',
		data.graphs.map((g, i) => [i, name(g)]),
		data.graphs.indexOf(graph), (v) => {
			graph = data.graphs[Number(v)];
			show(div, graph);
		}) : '',
	    solab.button('SVG', () => graph.svg &&
		solab.save('graph.svg', graph.svg, 'image/svg+xml'),
		'download the picture'),
	    solab.button('DOT', () => solab.save('graph.dot', graph.dot,
		'text/vnd.graphviz'), 'download its source'));
	show(div, graph);
});
})();
