enum ProxyRoom {}
