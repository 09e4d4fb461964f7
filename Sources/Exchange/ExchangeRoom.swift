enum ExchangeRoom {}
