"""``python -m leaderbayes``."""

from leaderbayes._cli import main

if __name__ == "__main__":
    main()
