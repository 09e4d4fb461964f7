enum RulesRoom {}
