#include "warpledger/render/document.h"

#include <nlohmann/json.hpp>

#include "warpledger/render/report.h"

namespace warpledger {
namespace {

using Json = nlohmann::ordered_json;

Json block_json(const Prose& prose) { return {{"kind", "prose"}, {"sentences", prose.sentences}}; }

Json block_json(const Table& table) {
  Json json{{"kind", "table"}};
  json.update(to_json(table));
  return json;
}

Json block_json(const Illustration& illustration) {
  Json json{{"kind", "figure"}, {"name", illustration.name}, {"title", illustration.title}};
  json["caption"] = illustration.caption;
  json["data"] = to_json(illustration.data);
  return json;
}

Json block_json(const std::vector<Card>& cards) {
  Table table{.columns = {{"what", "title"},
                          {"where", "where"},
                          {"what helps", "remedy"},
                          {"gain", "gain"},
                          {"saves", "saving_percent", Align::kRight}}};
  for (const Card& card : cards) {
    table.rows.push_back({{card.title, card.where, card.remedy, card.gain, card.saving}});
  }
  Json json{{"kind", "cards"}, {"rows", to_json(table)["rows"]}};
  for (size_t i = 0; i < cards.size(); ++i) json["rows"][i]["because"] = cards[i].because;
  return json;
}

/// One side of a listing, as a table.
Json side_json(const std::vector<Column>& columns, const std::vector<ListingLine>& lines) {
  Table table{.columns = {{"", "label"}, {"", "text"}, {"", "key"}}};
  for (const Column& column : columns) table.columns.push_back(column);
  for (const ListingLine& line : lines) {
    Row row{.cells = {line.label, line.text, line.key}};
    row.cells.insert(row.cells.end(), line.numbers.begin(), line.numbers.end());
    table.rows.push_back(std::move(row));
  }
  return to_json(table)["rows"];
}

Json block_json(const Listing& listing) {
  Json json{{"kind", "listing"}, {"title", listing.title}};
  json["left"] = side_json(listing.columns, listing.left);
  json["right"] = side_json(listing.columns, listing.right);
  if (!listing.below.empty()) json["below"] = side_json(listing.below_columns, listing.below);
  if (!listing.notes.empty()) json["notes"] = listing.notes;
  return json;
}

Json glance_json(const std::vector<KeyFact>& facts) {
  Table table{.columns = {{"", "label"}, {"", "value"}, {"", "note"}}};
  for (const KeyFact& fact : facts) table.rows.push_back({{fact.label, fact.value, fact.note}});
  return to_json(table)["rows"];
}

Json page_json(const Page& page) {
  Json json{{"title", page.title}, {"subtitle", page.subtitle}};
  json["glance"] = glance_json(page.glance);
  json["panels"] = Json::array();
  for (const Panel& panel : page.panels) {
    Json blocks = Json::array();
    for (const Block& block : panel.blocks) {
      blocks.push_back(std::visit([](const auto& one) { return block_json(one); }, block));
    }
    json["panels"].push_back({{"title", panel.title}, {"blocks", std::move(blocks)}});
  }
  return json;
}

}  // namespace

std::vector<PlacedIllustration> illustrations_of(const Document& document) {
  std::vector<PlacedIllustration> illustrations;
  for (size_t i = 0; i < document.pages.size(); ++i) {
    for (const Panel& panel : document.pages[i].panels) {
      for (const Block& block : panel.blocks) {
        if (const auto* illustration = std::get_if<Illustration>(&block))
          illustrations.push_back({i, illustration});
      }
    }
  }
  return illustrations;
}

Json to_json(const Document& document) {
  Json json{{"schema_version", kDocumentSchemaVersion}, {"title", document.title}};
  json["index"] = to_json(document.index);
  json["pages"] = Json::array();
  for (const Page& page : document.pages) json["pages"].push_back(page_json(page));
  json["footer"] = document.footer;
  return json;
}

}  // namespace warpledger
