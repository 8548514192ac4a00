"""Values on their way between cells, and to the eye: content types, files, previews."""
