enum HTTPRoom {}
