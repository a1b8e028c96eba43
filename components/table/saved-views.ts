import { SIGHT, withSight } from '@/components/sight/sight';

/** A list under a name: the query part of its address without the time and the project it looks at. */
export interface View {
  readonly name: string;
  readonly search: string;
}

/** What a view does not keep: what the page looks at whatever the view, and the row beside the list. */
const NOT_OF_A_VIEW: readonly string[] = [...SIGHT, 'peek'];
const VIEWS_MAX = 30;
export const VIEW_NAME_MAX = 40;

/** The part of an address that a view keeps, its members in one order, so that equal lists have equal texts. */
export function searchOfView(params: URLSearchParams): string {
  const kept = new URLSearchParams([...params].filter(([name, value]) => !NOT_OF_A_VIEW.includes(name) && value !== ''));
  kept.sort();
  return kept.toString();
}

/** The address of a view that goes on looking at what `params` looks at. */
export function hrefOfView(pathname: string, view: View, params: URLSearchParams): string {
  return withSight(view.search === '' ? pathname : `${pathname}?${view.search}`, params);
}

/** Reads views that this browser kept; what is none of them is left out. */
export function readViews(text: string): View[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Kept by something else under this name.
    return null;
  }
  return Array.isArray(value) ? value.filter(isView).slice(0, VIEWS_MAX) : null;
}

/** The views with one more; a view of the same name is replaced, the oldest goes beyond 30. */
export function withView(views: readonly View[], view: View): View[] {
  return [...views.filter(({ name }) => name !== view.name), view].slice(-VIEWS_MAX);
}

function isView(value: unknown): value is View {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    'search' in value &&
    typeof value.search === 'string'
  );
}
