# @name triage
# @output_schema {"type":"object","properties":{"mood":{"type":"string","enum":["good","mixed","bad"]},"late":{"type":"boolean"}},"required":["mood","late"],"additionalProperties":false}
Read this review and say how the customer feels and whether the parcel was late.

{{ review }}
