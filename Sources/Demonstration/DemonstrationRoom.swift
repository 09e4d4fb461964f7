enum DemonstrationRoom {}
