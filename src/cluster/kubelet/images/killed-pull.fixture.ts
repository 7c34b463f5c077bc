import { systemClock } from '#runtime/clock/clock.ts'
import { createImagePuller } from './image-puller.ts'

// Pulls an image, until it is killed.
const [folder = '', registries = '', reference = ''] = process.argv.slice(2)
const { signal } = new AbortController()
const puller = createImagePuller({ folder, node: 'n1', registries, path: process.env['PATH'] ?? '', clock: systemClock, signal })
await puller.pull(reference, { policy: 'Always', logins: async () => [], onEvent: () => {}, signal })
