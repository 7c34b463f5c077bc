/** Content of a ConfigMap or Secret, decoded. */
export type ConfigurationData = ReadonlyMap<string, Uint8Array>

/** Where pods get their ConfigMaps and Secrets from. Undefined when there is no such object. */
export interface ConfigurationSource {
  configMap(namespace: string, name: string): Promise<ConfigurationData | undefined>
  secret(namespace: string, name: string): Promise<ConfigurationData | undefined>
}

/** A container cannot be started as it is configured: something it refers to is missing. Worth a retry. */
export class ContainerConfigError extends Error {
  override readonly name = 'ContainerConfigError'
}
