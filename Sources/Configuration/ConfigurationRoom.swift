enum ConfigurationRoom {}
