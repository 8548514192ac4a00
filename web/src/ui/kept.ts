// What the browser keeps for this app. Some keep nothing for a page that is shown within one of another origin, and none more than fits:
// there it lasts as long as the page.

type Keeper = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

function keeper(storage: () => Storage): Keeper {
  const here = new Map<string, string>();
  return {
    getItem(name) {
      try {
        return here.get(name) ?? storage().getItem(name);
      } catch {
        return null;
      }
    },
    setItem(name, value) {
      try {
        storage().setItem(name, value);
        here.delete(name);
      } catch {
        here.set(name, value);
      }
    },
    removeItem(name) {
      here.delete(name);
      try {
        storage().removeItem(name);
      } catch {
        // Nothing is kept there.
      }
    },
  };
}

/** For every page of the app, until somebody clears it. */
export const browserKept = keeper(() => localStorage);
/** For this tab. */
export const tabKept = keeper(() => sessionStorage);
