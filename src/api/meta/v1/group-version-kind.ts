/** Identifier of a kind in one version. */
export interface GroupVersionKind {
  group: string
  version: string
  kind: string
}

/** Identifier of a resource in one version. */
export interface GroupVersionResource {
  group: string
  version: string
  resource: string
}
