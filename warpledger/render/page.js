// Sorts tables, shows one page at a time, colours listings. Everything is in the page already.
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
    pages.forEach((page) => { page.hidden = page.dataset.page !== number; });
    all(document, 'tr[data-page]').forEach((row) => {
      row.classList.toggle('chosen', row.dataset.page === number);
    });
  }

  function colourBy(listing, column) {
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

  function follow(row) {
    const listing = row.closest('.listing'), here = row.closest('.side');
    all(listing, 'tr.same').forEach((other) => other.classList.remove('same'));
    let first = null;
    all(listing, 'tr[data-k]').forEach((other) => {
      if (other.dataset.k !== row.dataset.k) return;
      other.classList.add('same');
      if (!first && other.closest('.side') !== here) first = other;
    });
    if (!first) return;
    const side = first.closest('.side');
    side.scrollTop = first.offsetTop - side.offsetTop - 60;
  }

  /// The first column in which anything is hot.
  function hottest(listing) {
    const count = all(listing, '.choose button').length;
    const digits = all(listing, 'tr[data-h]').map((row) => row.dataset.h);
    for (let i = count - 1; i >= 0; --i) if (digits.some((text) => text[i] !== '0')) return i;
    return 0;
  }

  all(document, '.sortable th').forEach((head) => head.addEventListener('click', () => sortBy(head)));
  all(document, 'tr[data-page]').forEach((row) => {
    row.addEventListener('click', () => showPage(row.dataset.page));
    row.addEventListener('keydown', (event) => { if (event.key === 'Enter') showPage(row.dataset.page); });
  });
  all(document, '.listing').forEach((listing) => {
    all(listing, '.choose button').forEach((button) => {
      button.addEventListener('click', () => colourBy(listing, Number(button.dataset.column)));
    });
    all(listing, 'tr[data-k]').forEach((row) => row.addEventListener('click', () => follow(row)));
    colourBy(listing, hottest(listing));
  });
  showPage('0');
})();
