"""The field: thoughts with weights that use strengthens and time fades. Think, retrieve, highways."""
