enum AuthenticationRoom {}
