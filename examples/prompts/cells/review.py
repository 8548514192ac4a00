review = "Arrived two days late, but the kettle itself is excellent."
