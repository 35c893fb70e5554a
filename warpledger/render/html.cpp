#include "warpledger/render/html.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/render/escape.h"
#include "warpledger/render/html_parts.h"

namespace warpledger {
namespace {

std::string block_markup(const Block& block, html::Palette& palette) {
  struct Visitor {
    html::Palette& palette;
    std::string operator()(const Prose& one) const { return html::prose(one); }
    std::string operator()(const std::vector<Card>& one) const { return html::cards(one); }
    std::string operator()(const Table& one) const { return html::table(one); }
    std::string operator()(const Illustration& one) const {
      return html::illustration(one, palette);
    }
    std::string operator()(const Listing& one) const { return html::listing(one); }
  };
  return std::visit(Visitor{palette}, block);
}

enum class Detail { kAll, kNoListings };

std::string panel_markup(const Panel& panel, const std::string& id, Detail detail,
                         html::Palette& palette) {
  std::string text = fmt::format("<section id=\"{}\">", id);
  const std::string title = fmt::format("<h3>{}</h3>", html_escaped(panel.title));
  text += panel.folded ? "<details><summary>" + title + "</summary>\n" : title + "\n";
  if (panel.side_by_side) text += "<div class=\"grid\">\n";
  for (const Block& block : panel.blocks) {
    if (detail == Detail::kNoListings && std::holds_alternative<Listing>(block)) {
      text += "<p class=\"note\">Left out: this file would grow beyond 2 MB.</p>\n";
    } else {
      text += block_markup(block, palette);
    }
  }
  if (panel.side_by_side) text += "</div>";
  return text + (panel.folded ? "</details></section>\n" : "</section>\n");
}

/// Links to the panels of a page, then the panels.
std::string page_markup(const Page& page, size_t number, Detail detail, html::Palette& palette) {
  std::string text =
      fmt::format("<article class=\"page\" id=\"p{}\" data-page=\"{}\"><h2>{}</h2>\n", number,
                  number, html_escaped(page.title));
  for (const std::string& line : page.subtitle) {
    text += fmt::format("<p class=\"sub\">{}</p>\n", html_escaped(line));
  }
  text += html::glance(page.glance);
  text += "<nav class=\"tabs\" aria-label=\"Parts of this page\">";
  for (size_t i = 0; i < page.panels.size(); ++i) {
    text +=
        fmt::format("<a href=\"#p{}s{}\">{}</a>", number, i, html_escaped(page.panels[i].title));
  }
  text += "</nav>\n";
  for (size_t i = 0; i < page.panels.size(); ++i) {
    text += panel_markup(page.panels[i], fmt::format("p{}s{}", number, i), detail, palette);
  }
  return text + "</article>\n";
}

struct Body {
  std::string text;
  size_t without_listings = 0, left_out = 0;
};

/// Pages as long as there is room: a page that does not fit is tried without its listings.
Body body_of(const Document& document, size_t room, html::Palette& palette) {
  Body body;
  for (size_t i = 0; i < document.pages.size(); ++i) {
    std::string page = page_markup(document.pages[i], i, Detail::kAll, palette);
    if (body.text.size() + page.size() > room) {
      page = page_markup(document.pages[i], i, Detail::kNoListings, palette);
      ++body.without_listings;
    }
    if (body.text.size() + page.size() > room) {
      --body.without_listings;
      body.left_out = document.pages.size() - i;
      break;
    }
    body.text += page;
  }
  return body;
}

std::string remarks(const Body& body) {
  std::string text;
  if (body.without_listings > 0) {
    text += fmt::format(
        "<p class=\"note\">{} page(s) are shown without source, to keep this file "
        "below 2 MB.</p>\n",
        body.without_listings);
  }
  if (body.left_out > 0) {
    text += fmt::format(
        "<p class=\"note\">The last {} page(s) are only in the list, to keep this "
        "file below 2 MB.</p>\n",
        body.left_out);
  }
  return text;
}

/// The list of pages, cut where it alone would be too large.
std::string index_markup(const Document& document) {
  if (document.pages.size() == 1) return "";
  constexpr size_t kMostRows = 1000;
  Table index = document.index;
  if (index.rows.size() > kMostRows) {
    index.notes.push_back(fmt::format("{} more rows are not shown", index.rows.size() - kMostRows));
    index.rows.resize(kMostRows);
  }
  return index.rows.empty() ? "" : html::index(index, document.bars);
}

}  // namespace

std::string to_html(const Document& document) {
  constexpr size_t kRoomForPalette = 40'000;
  html::Palette palette;
  const std::string title = html_escaped(document.title);
  const std::string top = fmt::format("<header><h1>{}</h1>{}</header>\n", title, html::legend());
  const std::string index = index_markup(document);
  const std::string footer = fmt::format("<footer>{}</footer>\n", html_escaped(document.footer));
  const size_t fixed = html::style().size() + html::script().size() + top.size() + index.size() +
                       footer.size() + kRoomForPalette;
  const Body body = body_of(document, kMostHtmlBytes - std::min(kMostHtmlBytes, fixed), palette);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; img-src "
      "data:; style-src &#39;unsafe-inline&#39;; script-src &#39;unsafe-inline&#39;\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{}</title>\n<style>\n{}{}</style></head>\n<body>\n{}<main>\n{}{}{}</main>\n{}"
      "<script>\n{}</script>\n</body></html>\n",
      title, html::style(), html::palette_style(palette), top, index, remarks(body), body.text,
      footer, html::script());
}

}  // namespace warpledger
