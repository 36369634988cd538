#pragma once

#define SST_SER(member) ser.pass(member)
#define ImplementSerializable(name)

namespace SST {

namespace Core::Serialization {
struct serializer {
  template <class T>
  void pass(T&) {}
};
}  // namespace Core::Serialization

class Event {
 public:
  virtual ~Event() = default;
  virtual void serialize_order(Core::Serialization::serializer&) {}

  struct HandlerBase {
    virtual ~HandlerBase() = default;
    virtual void operator()(Event* event) = 0;
  };
  template <class T, void (T::*function)(Event*)>
  struct Handler : HandlerBase {
    explicit Handler(T* object) : object(object) {}
    void operator()(Event* event) override { (object->*function)(event); }
    T* object;
  };
};

}  // namespace SST
