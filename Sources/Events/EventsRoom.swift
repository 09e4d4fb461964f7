enum EventsRoom {}
