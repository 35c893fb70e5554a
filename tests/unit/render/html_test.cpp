// Documents as HTML: no text of a document can become markup, and the file stays small.
#include "warpledger/render/html.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/support/law.h"
#include "warpledger/render/escape.h"
#include "warpledger/render/html_parts.h"

namespace warpledger {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Rng;

/// Words that would break out of tags, quotes, script or style if they were let.
std::string any_words(Rng& rng) {
  static const std::vector<std::string> kParts = {"<script>alert(1)</script>",
                                                  "\"",
                                                  "'",
                                                  "</style>",
                                                  "&amp;",
                                                  "-->",
                                                  "<!--",
                                                  "]]>",
                                                  "\\",
                                                  "onerror=x",
                                                  "\x01",
                                                  "\xff\xfe",
                                                  "\xc3",
                                                  "é",
                                                  "日",
                                                  "k<T, 4>(float const*)",
                                                  " ",
                                                  "a\nb",
                                                  "{0}",
                                                  "%s"};
  std::string words;
  for (int64_t i = rng.between(1, 4); i > 0; --i) words += rng.pick(kParts);
  return words;
}

Table any_table(Rng& rng) {
  Table table{.title = any_words(rng),
              .columns = {{any_words(rng), "a"}, {any_words(rng), "b", Align::kRight}}};
  for (int64_t i = rng.between(0, 3); i > 0; --i) {
    table.rows.push_back(
        {{any_words(rng), Cell(any_words(rng), rng.between(0, 9), Fidelity::kModeled)}});
  }
  table.notes = {any_words(rng)};
  return table;
}

Document any_document(Rng& rng) {
  Drawing drawing{
      .width = 10, .height = 10, .shapes = {Text{.at = {1, 1}, .words = any_words(rng)}}};
  Listing listing{.title = any_words(rng), .columns = {{any_words(rng), "n", Align::kRight}}};
  listing.left = {
      {any_words(rng), any_words(rng), any_words(rng), {Cell(3, Fidelity::kExact)}, rng.coin()}};
  listing.right = listing.left;
  listing.notes = {any_words(rng)};
  Card card{any_words(rng), any_words(rng), {any_words(rng)}, any_words(rng), any_words(rng), {}};
  Page page{.title = any_words(rng),
            .subtitle = {any_words(rng)},
            .glance = {{any_words(rng), any_words(rng), any_words(rng), rng.coin()}}};
  page.panels.push_back(
      {.title = any_words(rng),
       .blocks = {Prose{{any_words(rng)}}, std::vector<Card>{card}, any_table(rng),
                  Illustration{.name = "f",
                               .title = any_words(rng),
                               .caption = {any_words(rng)},
                               .wide = drawing,
                               .narrow = drawing,
                               .data = any_table(rng)},
                  listing},
       .side_by_side = rng.coin(),
       .folded = rng.coin()});
  return {.title = any_words(rng),
          .index = any_table(rng),
          .bars = rng.coin() ? "b" : "",
          .pages = {page, page},
          .footer = any_words(rng)};
}

/// The page with every tag that we write ourselves taken out: what is left must hold no markup.
size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

LAW(Html, NoWordBecomesMarkup) {
  const std::string html = to_html(any_document(rng));
  EXPECT_EQ(count(html, "<script"), 1u);
  EXPECT_EQ(count(html, "</script"), 1u);
  EXPECT_EQ(count(html, "<style"), 1u);
  EXPECT_EQ(count(html, "</style"), 1u);
  EXPECT_EQ(count(html, "<!--"), 0u);
  EXPECT_EQ(count(html, "\xff"), 0u);
  EXPECT_EQ(count(html, "\x01"), 0u);
}

LAW(Html, EscapedWordsHoldNoMarkupCharacter) {
  const std::string text = html_escaped(any_words(rng));
  EXPECT_EQ(text.find_first_of("<>\"'"), std::string::npos);
  for (size_t at = text.find('&'); at != std::string::npos; at = text.find('&', at + 1)) {
    EXPECT_NE(text.find(';', at), std::string::npos);
  }
}

TEST(Html, AsksForNothingFromOutside) {
  Rng rng(1, 10);
  const std::string html = to_html(any_document(rng));
  EXPECT_THAT(html, Not(HasSubstr("http:")));
  EXPECT_THAT(html, Not(HasSubstr("https:")));
  EXPECT_THAT(html, Not(HasSubstr("@import")));
  EXPECT_THAT(html, Not(HasSubstr("url(")));
  EXPECT_THAT(html, HasSubstr("default-src &#39;none&#39;"));
}

TEST(Html, StaysBelowTwoMegabytesAndSaysWhatIsMissing) {
  Page page{.title = "p"};
  Listing listing{.title = "l", .columns = {{"n", "n", Align::kRight}}};
  for (int i = 0; i < 4000; ++i)
    listing.left.push_back({std::to_string(i), std::string(60, 'x'), "k", {}, false});
  page.panels.push_back({.title = "s", .blocks = {listing, Prose{{std::string(20'000, 'y')}}}});
  Document document{.title = "many", .pages = std::vector<Page>(200, page)};
  const std::string html = to_html(document);
  EXPECT_LT(html.size(), kMostHtmlBytes);
  EXPECT_THAT(html, HasSubstr("are shown without source"));
  EXPECT_THAT(html, HasSubstr("are only in the list"));
}

TEST(Html, OnePageHasNoListOfPages) {
  Document document{.title = "t", .index = {.columns = {{"Kernel", "kernel"}}, .rows = {{{"k"}}}}};
  document.pages = {Page{.title = "p"}};
  EXPECT_THAT(to_html(document), Not(HasSubstr("data-page=\"0\"><td")));
  document.pages.push_back(Page{.title = "q"});
  EXPECT_THAT(to_html(document), HasSubstr("<tr data-page=\"0\"><td><a href=\"#p0\">k</a></td>"));
}

TEST(Html, BarsAreSharesOfTheLargest) {
  const Table table{
      .columns = {{"Kernel", "kernel"}, {"Time", "ns", Align::kRight}},
      .rows = {{{"a", Cell(50, Fidelity::kModeled)}}, {{"b", Cell(200, Fidelity::kModeled)}}}};
  const std::string markup = html::index(table, "ns");
  EXPECT_THAT(markup, HasSubstr("width:25.0%"));
  EXPECT_THAT(markup, HasSubstr("width:100.0%"));
  EXPECT_THAT(html::index(table, ""), Not(HasSubstr("width:")));
}

TEST(Html, AFoldedPanelIsThereUnderItsTitle) {
  Page page{.title = "p"};
  page.panels.push_back({.title = "more", .blocks = {Prose{{"inside"}}}, .folded = true});
  const std::string html = to_html({.title = "t", .pages = {page}});
  EXPECT_THAT(html, HasSubstr("<details><summary><h3>more</h3></summary>"));
  EXPECT_THAT(html, HasSubstr("inside"));
}

TEST(Html, EveryNumberThatIsNotExactHasItsMark) {
  Table table{.columns = {{"a", "a", Align::kRight}}};
  table.rows = {{{Cell(1234, Fidelity::kModeled)}}, {{Cell(5, Fidelity::kExact)}}};
  const std::string html = html::table(table);
  EXPECT_THAT(html, HasSubstr("data-v=\"1234\">1,234<i class=\"f\" title=\"modeled\">~</i>"));
  EXPECT_THAT(html, HasSubstr("data-v=\"5\">5</td>"));
}

TEST(Html, WhiteBecomesTheDarkGroundAndBlackBright) {
  const Color ground = html::on_dark({255, 255, 255}), ink = html::on_dark({0, 0, 0});
  EXPECT_LT(ground.red, 40);
  EXPECT_GT(ink.red, 215);
}

LAW(Html, DarkColorsKeepTheirHue) {
  const Color c{static_cast<int>(rng.between(0, 255)), static_cast<int>(rng.between(0, 255)),
                static_cast<int>(rng.between(0, 255))};
  const Color d = html::on_dark(c);
  // The order of the channels is the hue's sextant; rounding may make two of them equal.
  EXPECT_TRUE(c.red <= c.green || d.red >= d.green);
  EXPECT_TRUE(c.green <= c.blue || d.green >= d.blue);
  EXPECT_TRUE(c.blue <= c.red || d.blue >= d.red);
}

TEST(Document, AsJsonHasTheNumbersOfItsIllustrations) {
  Rng rng(7, 10);
  const Document document = any_document(rng);
  const auto json = to_json(document);
  EXPECT_EQ(json["schema_version"], kDocumentSchemaVersion);
  EXPECT_EQ(json["pages"].size(), 2u);
  EXPECT_EQ(json["pages"][0]["panels"][0]["blocks"][3]["kind"], "figure");
  EXPECT_TRUE(json["pages"][0]["panels"][0]["blocks"][3]["data"].contains("rows"));
  EXPECT_EQ(illustrations_of(document).size(), 2u);
}

}  // namespace
}  // namespace warpledger
