/** Integer of at most 32 bits, signed. */
export type Int32 = number

/** Integer of at most 53 usable bits, signed. */
export type Int64 = number

/** Integer of at most 32 bits, never negative. */
export type UInt32 = number

/** RFC 3339 time with second precision. */
export type Time = string

/** RFC 3339 time with microsecond precision. */
export type MicroTime = string

/** Duration in the format of Go: `1m30s`. */
export type Duration = string

/** Amount with an optional suffix: `512Mi`, `500m`, `2`. JSON numbers are accepted, too. */
export type Quantity = string | number

/** Share from 0 to 1 with at most three digits after the point: `0.055`. */
export type Percent = string

/** Number, or a name or percentage as a string. */
export type IntOrString = number | string

/** Binary data as base64. */
export type Bytes = string

/** JSON object with fields that the schema does not describe. */
export type RawObject = Record<string, unknown>

/** Any JSON value. */
export type AnyJson = unknown
