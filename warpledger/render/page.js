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
    all(listing, '.code tr').forEach((row) => {
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

  function follow(row) {
    const listing = row.closest('.listing'), here = row.closest('.side');
    all(listing, 'tr.same').forEach((other) => other.classList.remove('same'));
    let first = null;
    all(listing, 'tr[data-k]').forEach((other) => {
      if (other.dataset.k !== row.dataset.k) return;
      other.classList.add('same');
      if (!first && other.closest('.side') !== here) first = other;
    });
    if (first) scrollTo(first.closest('.side'), first);
  }

  /// The arrow keys walk from line to line that has another side; the marked one is followed.
  function walk(side, step) {
    const rows = all(side, 'tr[data-k]');
    if (!rows.length) return;
    const at = rows.findIndex((row) => row.classList.contains('same'));
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
      const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
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
    all(listing, 'tr[data-k]').forEach((row) => row.addEventListener('click', () => follow(row)));
    colorBy(listing, hottest(listing));
  });
  showPage('0');
})();
