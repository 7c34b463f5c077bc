import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Event } from './event.ts'

/** `/apis/events.k8s.io/v1/events`: the same objects as `/api/v1/events`. */
export const events: ResourceType<Event> = { group: 'events.k8s.io', version: 'v1', kind: 'Event', plural: 'events', namespaced: true }
