#include "keys.h"

#include <algorithm>
#include <cmath>

#include "model/fields.h"
#include "model/parameters.h"

namespace platter::bench {
namespace {

using model::DriveModel;
using model::LayoutNode;
using model::Parameter;

// The parameter of a path, to be changed.
struct Finder {
  std::string section;
  const std::string& path;
  Parameter*& found;

  void required(const char*, auto&) {}
  void usual(const char* name, Parameter& p) {
    if (path == section + "." + name) found = &p;
  }
  void compact(const char*, auto&, const auto&) {}
  void informative(const char*, const auto&) {}
};

Parameter* parameter_of(DriveModel& model, const std::string& path) {
  if (path == "head_switch") return &model.head_switch;
  if (path == "inward_seek_delta") return &model.inward_seek_delta;
  if (path == "write_settle") return &model.write_settle;
  Parameter* found = nullptr;
  visit_fields(model.cache, Finder{"cache", path, found});
  visit_fields(model.overheads, Finder{"overheads", path, found});
  visit_fields(model.bus, Finder{"bus", path, found});
  visit_fields(model.queue, Finder{"queue", path, found});
  return found;
}

// Near values first: a small change that is seen says more than a large one.
std::vector<double> others(const std::optional<double>& value) {
  std::vector<double> all;
  if (value)
    all = {*value * 1.05, *value * 0.95, *value + 0.02, *value + 1, *value - 1,
           *value / 2,    *value * 2,    *value * 16,   -*value};
  for (const double each : {0.0, 1.0, 2.0, 3.0, 4.0, 8.0, 0.1, 0.5, 20.0, 100.0, 1000.0, -1.0})
    all.push_back(each);
  std::erase_if(all, [&](double each) { return value && each == *value; });
  return all;
}

Key key_of(const model::NamedParameter& named) {
  Key key{named.path, named.parameter.value.has_value(), {}};
  for (const double value : others(named.parameter.value))
    key.changes.push_back([path = named.path, value](DriveModel& model) {
      parameter_of(model, path)->value = value;
    });
  return key;
}

Key rotation_key(const DriveModel& model) {
  return {"rotation.period", model.rotation.numerator_ns > 0, {[](DriveModel& other) {
            other.rotation.numerator_ns += other.rotation.numerator_ns / 100'000;
          }}};
}

// Up to so many of many elements, the first and the last among them.
std::vector<std::size_t> some_of(const std::vector<std::size_t>& all) {
  constexpr std::size_t kMost = 12;
  if (all.size() <= kMost) return all;
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < kMost; ++i) some.push_back(all[i * (all.size() - 1) / (kMost - 1)]);
  return some;
}

// Elements of an array, by a getter of all of them, and one of their members.
template <typename Element, typename Member>
Key element_key(const DriveModel& model, std::string path, auto elements, Member Element::*member,
                std::vector<double> steps) {
  Key key{std::move(path), false, {}};
  DriveModel copy = model;
  const std::vector<Element*> all = elements(copy);
  std::vector<std::size_t> stated, rest;
  for (std::size_t i = 0; i < all.size(); ++i)
    (all[i]->*member != Element{}.*member ? stated : rest).push_back(i);
  key.stated = !stated.empty();
  for (const std::size_t i : some_of(key.stated ? stated : rest))
    for (const double step : steps)
      key.changes.push_back([=](DriveModel& other) {
        Member& value = elements(other)[i]->*member;
        value = static_cast<Member>(static_cast<double>(value) + step);
      });
  return key;
}

void collect_nodes(std::vector<LayoutNode>& nodes, std::vector<LayoutNode*>& all) {
  for (LayoutNode& node : nodes) {
    all.push_back(&node);
    collect_nodes(node.children, all);
  }
}

void add_layout_keys(const DriveModel& model, std::vector<Key>& keys) {
  const auto nodes = [](DriveModel& of) {
    std::vector<LayoutNode*> all;
    collect_nodes(of.layout.zones, all);
    return all;
  };
  const auto pointers = [](auto& elements) {
    std::vector<std::remove_reference_t<decltype(elements[0])>*> all;
    for (auto& element : elements) all.push_back(&element);
    return all;
  };
  const auto skips = [=](DriveModel& of) { return pointers(of.layout.skips); };
  const auto remaps = [=](DriveModel& of) { return pointers(of.layout.remaps); };
  const auto points = [=](DriveModel& of) { return pointers(of.seek.points); };
  const auto add = [&](const char* path, auto elements, auto member, std::vector<double> steps) {
    keys.push_back(element_key(model, path, elements, member, std::move(steps)));
  };
  add("layout.zones.count", nodes, &LayoutNode::count, {-1, 1});
  add("layout.zones.cylinder", nodes, &LayoutNode::cylinder, {1, -1, 40});
  add("layout.zones.cylinder_step", nodes, &LayoutNode::cylinder_step, {1, -1, 2, -2});
  add("layout.zones.head", nodes, &LayoutNode::head, {1, -1, 2});
  add("layout.zones.head_step", nodes, &LayoutNode::head_step, {1, -1, 2, -2});
  add("layout.zones.angle_rev", nodes, &LayoutNode::angle_rev, {0.01, -0.1});
  add("layout.zones.angle_step_rev", nodes, &LayoutNode::angle_step_rev, {0.001, -0.1});
  add("layout.zones.sectors", nodes, &LayoutNode::sectors, {1, -1});
  add("layout.skips.first_slot", skips, &model::Skip::first_slot, {1, -1});
  add("layout.skips.length", skips, &model::Skip::length, {1, -1});
  add("layout.skips.count", skips, &model::Skip::count, {1, -1});
  add("layout.skips.stride", skips, &model::Skip::stride, {1, -1});
  add("layout.remaps.lbn", remaps, &model::Remap::lbn, {1, -1, 2});
  add("layout.remaps.slot", remaps, &model::Remap::slot, {1, -1, 2, -2});
  add("seek.points.cylinders", points, &model::SeekPoint::cylinders, {1, -1});
  add("seek.points.time_ms", points, &model::SeekPoint::time_ms, {0.02, 0.5, -0.5});
}

}  // namespace

std::vector<Key> keys_of(const DriveModel& model) {
  std::vector<Key> keys{rotation_key(model)};
  add_layout_keys(model, keys);
  for (const model::NamedParameter& named : model::parameters_of(model))
    if (named.path != "rotation.period") keys.push_back(key_of(named));
  return keys;
}

}  // namespace platter::bench
