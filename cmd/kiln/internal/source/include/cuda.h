// Found by sources that include the SDK's header; kiln includes its own first.
