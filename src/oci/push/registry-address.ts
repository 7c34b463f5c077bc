/** A registry and the path before the names of images. */
export interface RegistryAddress {
  /** `registry.example.com:5000`, as in image references. */
  readonly name: string
  /** `https://registry.example.com:5000`. */
  readonly origin: string
  /** `team/`, or empty. */
  readonly prefix: string
}

/** Docker Hub's API has another host than its references. */
const DOCKER_HUB = 'docker.io'
const DOCKER_HUB_API = 'registry-1.docker.io'

/** Parses a registry that was checked, such as `registry.example.com/team`. */
export function registryAddress(text: string, isPlain: boolean): RegistryAddress {
  const [name = '', ...path] = text.split('/')
  const host = name === DOCKER_HUB ? DOCKER_HUB_API : name
  return { name, origin: `${isPlain ? 'http' : 'https'}://${host}`, prefix: path.map((part) => `${part}/`).join('') }
}
