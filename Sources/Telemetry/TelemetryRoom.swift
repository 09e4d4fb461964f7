enum TelemetryRoom {}
