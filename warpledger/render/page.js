// Sorts tables, shows one page at a time, colors listings, unfolds what is asked for or printed. Everything is in the page already.
(function () {
  'use strict';
  const all = (where, what) => Array.from(where.querySelectorAll(what));

  function sortBy(head) {
    const table = head.closest('table'), body = table.tBodies[0];
    const column = head.cellIndex;
    const up = head.getAttribute('aria-sort') === 'descending';
    all(table, 'th').forEach((other) => other.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    const key = (row) => {
      const cell = row.cells[column];
      if (!cell) return '';
      return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
    };
    const order = (a, b) => {
      const x = key(a), y = key(b);
      const both = typeof x === 'number' && typeof y === 'number';
      const less = both ? x - y : String(x).localeCompare(String(y));
      return up ? less : -less;
    };
    // Totals (below a rule) stay at the end.
    const rows = Array.from(body.rows);
    const rule = rows.findIndex((row) => row.classList.contains('rule'));
    const free = rule < 0 ? rows : rows.slice(0, rule);
    const kept = rule < 0 ? [] : rows.slice(rule);
    free.sort(order).concat(kept).forEach((row) => body.appendChild(row));
  }

  function showPage(number) {
    const pages = all(document, 'article.page');
    if (!pages.some((page) => page.dataset.page === number)) return;
    pages.forEach((page) => {
      page.hidden = page.dataset.page !== number;
      if (!page.hidden) all(page, '.side').forEach(showHottest);
    });
    all(document, 'tr[data-page]').forEach((row) => {
      const chosen = row.dataset.page === number;
      row.classList.toggle('chosen', chosen);
      all(row, 'a').forEach((link) => {
        if (chosen) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
      });
    });
  }

  function colorBy(listing, column) {
    all(listing, '.choose button').forEach((button) => {
      button.setAttribute('aria-pressed', String(button.dataset.column === String(column)));
    });
    all(listing, '.sides .code tr').forEach((row) => {
      row.className = row.className.replace(/\bh[0-9]\b/g, '').trim();
      const heat = row.dataset.h ? row.dataset.h[column] : '0';
      if (heat !== '0') row.classList.add('h' + heat);
      Array.from(row.cells).forEach((cell, at) => {
        if (at === 0 || at + 1 === row.cells.length) return;
        cell.classList.toggle('on', at - 1 === column);
        cell.classList.toggle('off', at - 1 !== column);
      });
    });
  }

  /// Places can be asked for only where they are shown.
  function scrollTo(side, row) {
    side.scrollTop += row.getBoundingClientRect().top - side.getBoundingClientRect().top - 120;
  }

  /// Each side starts at the hottest of its lines.
  function showHottest(side) {
    if (side.dataset.settled) return;
    side.dataset.settled = 'yes';
    for (let heat = 9; heat > 0; --heat) {
      const row = side.querySelector('tr.h' + heat);
      if (row) return scrollTo(side, row);
    }
  }

  /// Arrows from the lines whose results a line takes, and to those that take its result.
  function drawArrows(side, row) {
    all(side, 'svg.arrows').forEach((old) => old.remove());
    const rows = Array.from(row.parentElement.rows), at = rows.indexOf(row);
    const uses = (one) => (one.dataset.u || '').split(' ').filter(Boolean).map(Number);
    const pairs = uses(row).map((from) => [from, at]);
    rows.forEach((other, to) => { if (uses(other).includes(at)) pairs.push([at, to]); });
    if (!pairs.length) return;
    const x = row.cells[1].offsetLeft + 2;
    const y = (one) => rows[one].offsetTop + rows[one].offsetHeight / 2;
    const paths = pairs.map(([from, to]) => {
      const out = Math.max(x - 8 - 2 * Math.abs(to - from), 2);
      return '<path d="M' + x + ' ' + y(from) + ' C' + out + ' ' + y(from) + ' ' + out + ' ' + y(to) + ' ' +
        x + ' ' + y(to) + ' m-5 -3 l5 3 l-5 3"/>';
    });
    // Numbers alone. The parser knows SVG's namespace, so that the page names no address.
    const holder = document.createElement('div');
    holder.innerHTML = '<svg class="arrows" aria-hidden="true" width="60" height="' + row.closest('table').offsetHeight + '">' +
      paths.join('') + '</svg>';
    side.appendChild(holder.firstChild);
  }

  /// Marks what belongs to a line, and shows the first of it on every other side.
  function follow(row) {
    const listing = row.closest('.listing'), here = row.closest('.side');
    all(listing, 'tr.same, tr.at, tr.part').forEach((other) => other.classList.remove('same', 'at', 'part'));
    row.classList.add('at');
    const firsts = new Map();
    all(listing, 'tr[data-k], tr[data-p]').forEach((other) => {
      const side = other.closest('.side');
      const isPart = row.dataset.p && other.dataset.p === row.dataset.p;
      if (isPart) other.classList.add('part');
      if (!isPart && (!row.dataset.k || other.dataset.k !== row.dataset.k)) return;
      other.classList.add('same');
      const known = firsts.get(side);
      if (side !== here && (!known || (isPart && !known.classList.contains('part')))) firsts.set(side, other);
    });
    firsts.forEach((first, side) => scrollTo(side, first));
    all(listing, '.below').forEach((side) => {
      all(side, 'svg.arrows').forEach((old) => old.remove());
      if (side === here) drawArrows(side, row);
    });
  }

  /// The arrow keys, and j and k, walk from line to line that has another side; the marked one is followed.
  function walk(side, step) {
    const rows = all(side, side.classList.contains('below') ? 'tbody tr' : 'tr[data-k]');
    if (!rows.length) return;
    const chosen = rows.findIndex((row) => row.classList.contains('at'));
    const at = chosen >= 0 ? chosen : rows.findIndex((row) => row.classList.contains('same'));
    const hot = rows.findIndex((row) => row.classList.contains('h9'));
    const next = at < 0 ? Math.max(hot, 0) : Math.min(Math.max(at + step, 0), rows.length - 1);
    follow(rows[next]);
    scrollTo(side, rows[next]);
  }

  /// A link into a folded part opens it.
  function unfold(id) {
    const target = id && document.getElementById(id);
    if (target) all(target, 'details').slice(0, 1).forEach((part) => { part.open = true; });
  }

  /// Paper cannot be opened: everything is, while it is printed.
  function unfoldForPrint() {
    all(document, 'details:not([open])').forEach((part) => {
      part.open = true;
      part.dataset.print = 'yes';
    });
  }
  function foldAfterPrint() {
    all(document, 'details[data-print]').forEach((part) => {
      part.open = false;
      delete part.dataset.print;
    });
  }

  /// The first column in which anything is hot.
  function hottest(listing) {
    const count = all(listing, '.choose button').length;
    const digits = all(listing, 'tr[data-h]').map((row) => row.dataset.h);
    for (let i = count - 1; i >= 0; --i) if (digits.some((text) => text[i] !== '0')) return i;
    return 0;
  }

  all(document, '.sortable th').forEach((head) => {
    head.addEventListener('click', () => sortBy(head));  // its button is what a keyboard finds
  });
  all(document, 'tr[data-page]').forEach((row) => {
    row.addEventListener('click', () => showPage(row.dataset.page));
  });
  all(document, '.side').forEach((side) => {
    side.addEventListener('keydown', (event) => {
      const step = {ArrowDown: 1, ArrowUp: -1, j: 1, k: -1}[event.key];
      if (!step) return;
      event.preventDefault();
      walk(side, step);
    });
  });
  all(document, '.tabs a').forEach((link) => {
    link.addEventListener('click', () => unfold(link.hash.slice(1)));
  });
  window.addEventListener('beforeprint', unfoldForPrint);
  window.addEventListener('afterprint', foldAfterPrint);
  all(document, '.listing').forEach((listing) => {
    all(listing, '.choose button').forEach((button) => {
      button.addEventListener('click', () => colorBy(listing, Number(button.dataset.column)));
    });
    all(listing, 'tr[data-k], .below tbody tr').forEach((row) => row.addEventListener('click', () => follow(row)));
    colorBy(listing, hottest(listing));
  });
  showPage('0');
})();
