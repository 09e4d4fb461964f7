enum BytesRoom {}
