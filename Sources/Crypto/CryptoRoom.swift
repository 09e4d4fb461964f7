enum CryptoRoom {}
