mod otlp_remote_write;
